import { type ProductionNames, useProductionNames } from '../data/settings.ts';
import type { HistoryChange } from '../domain/model.ts';

/** Fields that SDKs do not evaluate. */
const ONLY_SHOWN: ReadonlySet<string> = new Set([
  'description',
  'name',
  'type',
  'stale',
  'links',
  'tags',
  'sortOrder',
  'archivedAt',
  'potentiallyStale',
]);

const isOnlyShown = ({ kind, fields }: HistoryChange) =>
  kind === 'changed' && fields.every(({ path }) => ONLY_SHOWN.has(path.split('/')[1] ?? ''));

/** Whether SDKs in an environment of production see the change, or its undo. What has no environment is in all of them. */
export function isSeenIn(change: HistoryChange, production: ProductionNames): boolean {
  if (change.environment !== null) return production.has(change.environment);
  return (change.type === 'feature' || change.type === 'segment') && production.size > 0 && !isOnlyShown(change);
}

/** Whether SDKs can see the changes, or an undo of them: these have a receipt. */
export const isDelivered = (changes: readonly HistoryChange[]) =>
  changes.some(
    ({ type, kind }) => type === 'feature' || type === 'segment' || (type === 'environment' && kind !== 'changed'),
  );

/** Whether production sees one of the changes, or an undo of them. */
export function useIsInProduction(changes: readonly HistoryChange[]): boolean {
  const production = useProductionNames();
  return changes.some((change) => isSeenIn(change, production));
}
