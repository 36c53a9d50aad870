import type { Rejection } from '../../base/rejection.ts';
import type { CommandContext } from '../../engine/command.ts';
import type { StateReader } from '../../state/collections.ts';
import { limitRejection } from '../shared/limit-checks.ts';

/** The size of a value as JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The size of the personal data of all users. */
function personalBytes(reader: StateReader): number {
  return reader.sum('allPreferences', '') + reader.sum('allSavedViews', '') + reader.sum('allContextSets', '');
}

/** Returns a rejection if `addedBytes` more would exceed the limit for all users together. A change that adds nothing is always within it. */
export function personalBytesProblem({ draft, limits }: CommandContext, addedBytes: number): Rejection | undefined {
  if (addedBytes <= 0) return undefined;
  const count = personalBytes(draft) + addedBytes;
  return count > limits.personalBytes ? limitRejection('', 'personalBytes', count, limits) : undefined;
}
