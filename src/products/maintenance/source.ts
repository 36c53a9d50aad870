import { assert } from '../../base/assert.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { recover } from '../../engine/replica.ts';
import { stateOfFrames } from '../../engine/state-frames.ts';
import { decodeEvent } from '../../state/commit.ts';
import { State } from '../../state/state.ts';
import { UnknownFormatError } from '../../state/stored-schema.ts';
import type { Counters } from '../../stores/counters.ts';
import { holdsStore } from '../../stores/lmdb/data-file.ts';
import { LmdbStore } from '../../stores/lmdb/lmdb-store.ts';
import { holdsLog } from '../../stores/redis/redis-staging.ts';
import { RedisStore } from '../../stores/redis/redis-store.ts';
import { inBatches, type StagedHistory } from '../../stores/staging.ts';
import { type EventEntry, type Store, StoreError } from '../../stores/store.ts';
import { ProgramError } from '../program/subcommand.ts';
import { framesOf, readBackup, readEventBatches } from './backup-file.ts';
import { describeLocation, type Location } from './location.ts';

/** A history at one moment, without later commits and their events. */
export interface Source {
  readonly state: State;
  readonly history: StagedHistory;
  /** All audit events in batches, oldest first. @throws ProgramError, StoreError */
  events(): AsyncIterable<readonly EventEntry[]>;
  /** The counters that are stored beside the history. Null for a backup, which contains no counters. */
  readonly counters: Counters | null;
  close(): Promise<void>;
}

/**
 * Opens a location and reads its state. Creates nothing if the location is empty.
 * @throws ProgramError, StoreError with a message for users, for example if the location is empty.
 */
export async function openSource(location: Location, keyPrefix: string): Promise<Source> {
  if (location.kind === 'file') return openBackup(location.path);
  const store = await existingStore(location, keyPrefix);
  const where = describeLocation(location);
  try {
    const opening = await store.open();
    const { state } = await withLocationInErrors(where, () => recover(store, opening, new State(), silentLogger));
    const { seq, lastEventId } = state;
    if (seq === 0) throw new ProgramError(`the store in ${where} is empty`);
    return {
      state,
      history: { seq, lastEventId, ancestor: store.lineAt(seq) },
      events: () =>
        decodable(
          where,
          inBatches((from, limit) => readEventsUpTo(store, lastEventId, from, limit)),
        ),
      counters: store.counters,
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openBackup(path: string): Promise<Source> {
  const { history: stored, mark } = await readBackup(path);
  const state = await withLocationInErrors(path, () =>
    stateOfFrames(
      () => framesOf(path),
      () => mark,
    ),
  );
  // Old formats do not contain ancestors.
  const ancestor = { ...stored.ancestor, ancestors: stored.ancestor.ancestors ?? [] };
  const history = { seq: state.seq, lastEventId: state.lastEventId, ancestor };
  return {
    state,
    history,
    events: () => decodable(path, readEventBatches(path)),
    counters: null,
    close: async () => {},
  };
}

/** Returns the store of a location. The caller must open it. @throws ProgramError if the location has no store */
export async function existingStore(location: Exclude<Location, { kind: 'file' }>, keyPrefix: string): Promise<Store> {
  if (location.kind === 'lmdb') {
    if (await holdsStore(location.directory))
      return new LmdbStore({ directory: location.directory, logger: silentLogger });
    throw new ProgramError(`there is no store in ${location.directory}`);
  }
  if (!(await holdsLog({ url: location.url, keyPrefix }))) {
    throw new ProgramError(`there is no log of Burgee in ${describeLocation(location)}`);
  }
  // Policy 'halt': this process never refills the log.
  return new RedisStore({ url: location.url, keyPrefix, logger: silentLogger, clock: systemClock, policy: 'halt' });
}

async function readEventsUpTo(store: Store, lastId: number, fromId: number, limit: number): Promise<EventEntry[]> {
  const events = await store.readEventsForward(fromId, limit);
  return events.filter(({ id }) => id <= lastId);
}

/** Yields the batches unchanged. @throws ProgramError for an event that this version of Burgee cannot decode */
async function* decodable(
  where: string,
  batches: AsyncIterable<readonly EventEntry[]>,
): AsyncGenerator<readonly EventEntry[], void, void> {
  for await (const events of batches) {
    await withLocationInErrors(where, async () => {
      for (const { id, bytes } of events)
        assert(decodeEvent(bytes).id === id, `audit event ${id} contains a different id`);
    });
    yield events;
  }
}

/** Runs `work`, which reads stored data. If it fails, throws a ProgramError whose message contains the location `where`. */
export async function withLocationInErrors<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreError || error instanceof ProgramError || !(error instanceof Error)) throw error;
    const { message } = error;
    const text =
      error instanceof UnknownFormatError ? `cannot read ${where}: ${message}` : `${where} is damaged: ${message}`;
    throw new ProgramError(text, { cause: error });
  }
}
