import type { StateReader } from '../../state/collections.ts';

/**
 * The projects to which an event is assigned that concerns objects in `projects` but has no project of its own. The caller records one event for
 * each result. If all of the projects are private, the results are these projects, and only users who may see them see the event. Otherwise the only
 * result is `undefined`, and every user may see the event.
 */
export function projectsOfEvent(
  reader: StateReader,
  projects: Iterable<string> | undefined,
): readonly (string | undefined)[] {
  const all = [...(projects ?? [])];
  const isPrivate = (project: string) => reader.get('projects', project)?.mode === 'private';
  return all.length > 0 && all.every(isPrivate) ? all : [undefined];
}
