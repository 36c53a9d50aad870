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
export const entitiesOf = (entry: HistoryEntry | undefined, place: ReviewPlace) =>
  entry && !entry.more
    ? requestable(entry.changes, place)
        .map(({ type, id }) => ({ type, id }))
        .filter(({ type, id }, at, all) => all.findIndex((one) => one.type === type && one.id === id) === at)
    : undefined;
