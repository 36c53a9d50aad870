import { invalid, type Rejection } from '../../base/rejection.ts';
import type { Project } from '../../model/project.ts';
import type { StateReader } from '../../state/collections.ts';

/** A rejection if the project may not have `added` more flags, otherwise undefined. Archived flags do not count. A lower limit removes no flags. */
export function checkFeatureLimit(
  reader: StateReader,
  { id, featureLimit }: Project,
  added: number,
): Rejection | undefined {
  if (featureLimit === null || added === 0) return undefined;
  const active = reader.count('featuresByProject', id) - reader.count('archivedByProject', id);
  if (active + added <= featureLimit) return undefined;
  return invalid(
    `The project ${id} may have ${featureLimit} feature flags, and this would be more. Archive some first, or raise the project's limit.`,
  );
}
