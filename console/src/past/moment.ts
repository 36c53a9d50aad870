import { useCallback } from 'react';
import { newestRevision } from '../data/client.ts';
import { useOpened } from '../data/opened.ts';
import type { HistoryEntry } from '../domain/model.ts';

/** The moment that the address names with `at`: a revision or a time. Empty: now. */
export function useMoment() {
  const [at, setAt] = useOpened('at');
  /** The newest revision is the state that the page shows, so nothing changes before a moment is chosen. */
  const open = useCallback(() => setAt(newestAt()), [setAt]);
  return { at, setAt, open } as const;
}

export const newestAt = (): string => String(newestRevision() || new Date().toISOString());

export const isRevision = (at: string): boolean => /^\d+$/.test(at);

/** Whether the state at the moment contains the commit. */
const contains = (at: string, { revision, at: time }: HistoryEntry): boolean =>
  isRevision(at) ? revision <= Number(at) : Date.parse(time) <= Date.parse(at);

/** The index of the newest commit that the moment contains, in commits from the oldest to the newest; -1: it is before all of them. */
export const positionOf = (at: string, entries: readonly HistoryEntry[]): number =>
  entries.findLastIndex((entry) => contains(at, entry));
