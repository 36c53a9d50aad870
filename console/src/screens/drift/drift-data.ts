import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { readIndex as readIndexOf } from '../../data/flag-index.ts';
import { useInSlices } from '../../data/use-in-slices.ts';
import { inSlices } from '../../domain/steps.ts';
import { type DriftFilter, type DriftRow, rowsAfter, shownOf } from './drift-index.ts';

interface DriftIndex {
  readonly revision: string;
  /** Sorted by name; without archived flags. */
  readonly flags: readonly DriftRow[];
}

const KEY = ['feature', 'list', 'fingerprints'] as const;

/** Reads the whole index first, and then only what changed. */
async function readIndex(client: QueryClient): Promise<DriftIndex> {
  const before = client.getQueryData<DriftIndex>(KEY);
  const { answer, revision } = await readIndexOf('fingerprints', before?.revision);
  return { revision, flags: await inSlices(rowsAfter(before?.flags ?? [], answer)) };
}

/** The settings of all flags as fingerprints. Commits refresh it by its key. */
export const useDriftIndex = () =>
  useQuery({ queryKey: KEY, queryFn: ({ client }) => readIndex(client), structuralSharing: false });

/** The rows that the filter shows, or those of an earlier filter while they are searched; undefined before the first. */
export function useShown(flags: readonly DriftRow[], filter: DriftFilter) {
  const key = JSON.stringify(filter);
  const found = useInSlices(
    key,
    useCallback(() => shownOf(flags, JSON.parse(key) as DriftFilter), [flags, key]),
  );
  return { rows: found?.value, isCurrent: found?.key === key };
}
