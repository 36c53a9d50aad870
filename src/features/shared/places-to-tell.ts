import type { StateReader } from '../../state/collections.ts';

/**
 * Of which projects an event is that concerns things of these projects, and is of none in itself: one event each. Undefined: everybody is told it. What only
 * private projects have is told to those who know of them.
 */
export function placesToTell(
  reader: StateReader,
  projects: Iterable<string> | undefined,
): readonly (string | undefined)[] {
  const all = [...(projects ?? [])];
  const isPrivate = (project: string) => reader.get('projects', project)?.mode === 'private';
  return all.length > 0 && all.every(isPrivate) ? all : [undefined];
}
