import type { StateReader } from '../../state/collections.ts';

/**
 * The projects to which an event is attributed that has no project of its own but concerns things in `projects`: one event for each. `undefined`
 * means that every user may see the event. If all of the projects are private, only users who may see them get the event.
 */
export function projectsOfEvent(
  reader: StateReader,
  projects: Iterable<string> | undefined,
): readonly (string | undefined)[] {
  const all = [...(projects ?? [])];
  const isPrivate = (project: string) => reader.get('projects', project)?.mode === 'private';
  return all.length > 0 && all.every(isPrivate) ? all : [undefined];
}
