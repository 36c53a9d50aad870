import { useCallback } from 'react';
import { type MayNot, useMayIn } from '../data/may.ts';
import type { HistoryEntry } from '../domain/model.ts';

/** For lists whose commits are in several projects: why a commit cannot be undone, by its first change. */
export function useMayUndo(environment?: string): (entry: HistoryEntry) => MayNot {
  const mayIn = useMayIn();
  return useCallback(
    ({ changes }) => {
      const [first] = changes;
      if (!first) return undefined;
      const project = first.project ?? undefined;
      if (first.type === 'segment') return mayIn('UPDATE_SEGMENT', project);
      const where = first.environment ?? environment;
      return where && mayIn('UPDATE_FEATURE_STRATEGY', project, where) === undefined
        ? undefined
        : mayIn('UPDATE_FEATURE', project);
    },
    [mayIn, environment],
  );
}
