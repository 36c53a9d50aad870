import { SYSTEM_USER_ID } from '../../../model/primitives.ts';
import type { Services } from '../../services.ts';
import { Marker } from '../../shared/marker.ts';
import { FLAG_LIMITS } from '../limits.ts';
import { flagsWithWrongMark, markPotentiallyStale } from './commands.ts';

/** Maximum delay of the first search, in milliseconds. It is shorter than a period, because a service may restart every day. */
const FIRST_SEARCH_MS = 300_000;

/**
 * Searches periodically for flags that have outlived their lifetime, and records one event for each flag in the audit log. The marks are only for the
 * audit log. Requests compute from the age of a flag whether it is potentially stale (docs/decisions/potentially-stale.md).
 */
export function staleMarker({
  state,
  writer,
  clock,
  logger,
  config,
}: Pick<Services, 'state' | 'writer' | 'clock' | 'logger' | 'config'>): Marker {
  return new Marker({
    clock,
    logger,
    what: 'flags that have outlived their lifetime',
    firstMs: FIRST_SEARCH_MS,
    everyMs: config.staleCheckEveryMs,
    marksPerCommit: FLAG_LIMITS.batch.max,
    find: (nowMs) => flagsWithWrongMark(state, nowMs),
    mark: (names) => writer.submit(markPotentiallyStale, { names }, { id: SYSTEM_USER_ID, name: 'burgee' }),
  });
}
