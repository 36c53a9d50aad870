import type { ReviewPlace } from '../data/save.ts';
import type { HistoryChange, HistoryEntry } from '../domain/model.ts';

/** What a change request for the environment would undo of the changes: settings of flags there, and segments. */
export const requestable = (changes: readonly HistoryChange[], { project, environment }: ReviewPlace) =>
  changes.filter(
    (change) =>
      change.kind === 'changed' &&
      (change.type === 'segment' ||
        (change.type === 'feature' && change.environment === environment && change.project === project)),
  );

/** Undefined: all of them. An entry may list only the first changes of its commit. */
const entitiesOf = (entry: HistoryEntry | undefined, place: ReviewPlace) =>
  entry && !entry.more
    ? requestable(entry.changes, place)
        .map(({ type, id }) => ({ type, id }))
        .filter(({ type, id }, at, all) => all.findIndex((one) => one.type === type && one.id === id) === at)
    : undefined;

/** What a change request for the environment would undo of each commit. */
export const partsOf = (revisions: readonly number[], entries: readonly HistoryEntry[], place: ReviewPlace) =>
  revisions
    .map((revision) => ({
      revision,
      entities: entitiesOf(
        entries.find((one) => one.revision === revision),
        place,
      ),
    }))
    .filter(({ entities }) => entities === undefined || entities.length > 0);

/** What commits changed, as if they were the newest of them. Undefined if not all of them are known. */
export function togetherOf(revisions: readonly number[], entries: readonly HistoryEntry[]): HistoryEntry | undefined {
  const found = revisions.flatMap((revision) => entries.find((one) => one.revision === revision) ?? []);
  const newest = found.at(-1);
  if (!newest || found.length < revisions.length) return undefined;
  return { ...newest, changes: found.flatMap(({ changes }) => changes), more: found.some(({ more }) => more) };
}
