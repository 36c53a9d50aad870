import { invalid, type Rejection } from '../../base/rejection.ts';
import type { Project } from '../../model/project.ts';
import type { StateReader } from '../../state/collections.ts';

/** Returns a rejection if the project may not have `added` more flags. Archived flags do not count. Lowering the limit removes no flags. */
export function featureLimitProblem(
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
