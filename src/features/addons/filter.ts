import type { EventHead } from '../../state/commit.ts';
import { ALL_PROJECTS } from '../events/query.ts';
import type { Addon } from './addon.ts';

/** In a filter: every project, or every environment. Unleash's tools send it instead of an empty list. */
export const ALL = '*';

/** Whether the add-on sends this event. Events without a project or environment pass the filters of projects and environments, as in Unleash. */
export function sends(addon: Addon, { type, project, environment }: EventHead): boolean {
  return (
    addon.events.includes(type) &&
    passes(addon.environments, environment === null ? [] : [environment]) &&
    passes(addon.projects, projectsOf(project))
  );
}

/** The projects of an event. The event of a flag that moves names two. */
function projectsOf(project: string | null): readonly string[] {
  return project === null || project === ALL_PROJECTS ? [] : project.split(',');
}

function passes(filter: readonly string[], names: readonly string[]): boolean {
  const isOpen = names.length === 0 || filter.length === 0 || filter.includes(ALL);
  return isOpen || names.some((name) => filter.includes(name));
}
