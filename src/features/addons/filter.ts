import { maySeeNamed } from '../../access/visibility.ts';
import { ALL } from '../../model/api-token.ts';
import type { StateReader } from '../../state/collections.ts';
import type { EventHead } from '../../state/commit.ts';
import { projectsOf } from '../../state/named-projects.ts';
import type { Addon } from './addon.ts';

/** Whether the add-on sends this event. Events without a project or environment pass the filters of projects and environments, as in Unleash. */
export function sends(addon: Addon, { type, project, environment }: EventHead): boolean {
  return (
    addon.events.includes(type) &&
    passes(addon.environments, environment === null ? [] : [environment]) &&
    passes(addon.projects, projectsOf(project))
  );
}

/**
 * Whether the add-on may send an event that names these projects. An add-on for some projects sends to people who may see these, so it sends no event
 * that names another private project, or one that was deleted. An add-on for all projects sends everything: only admins create it.
 */
export function maySend(reader: StateReader, { projects }: Addon, named: readonly string[]): boolean {
  if (isForAll(projects)) return true;
  const isOpen = (project: string) => (reader.get('projects', project)?.mode ?? 'private') !== 'private';
  return maySeeNamed({ has: (project) => projects.includes(project) || isOpen(project) }, named);
}

function passes(filter: readonly string[], names: readonly string[]): boolean {
  return names.length === 0 || isForAll(filter) || names.some((name) => filter.includes(name));
}

/** Unleash's tools send `*` instead of an empty list. */
function isForAll(filter: readonly string[]): boolean {
  return filter.length === 0 || filter.includes(ALL);
}
