import { SERVICE } from '../../base/asking/asker.ts';
import { decodeSnapshot, encodeSnapshot } from '../../state/snapshot.ts';
import type { State } from '../../state/state.ts';
import { stageInDirectory } from '../../stores/lmdb/lmdb-staging.ts';
import { stageInRedis } from '../../stores/redis/redis-staging.ts';
import type { StagedHistory, Staging } from '../../stores/staging.ts';
import { type EventEntry, StoreError } from '../../stores/store.ts';
import { ProgramError } from '../program/subcommand.ts';
import { stageInFile } from './backup-file.ts';
import { copyCounters } from './copy-counters.ts';
import { digestState, EventTally, type HistoryDigest } from './digest.ts';
import { describeLocation, type Location } from './location.ts';
import { openSource, type Source, withLocationInErrors } from './source.ts';

/** The number that `renew` adds to all revisions: more commits than a history gets between two backups. */
const RENEWAL = 1_000_000_000;

interface TransferOptions {
  /** The prefix of the keys in Redis. Several logs in one Redis have different prefixes. */
  readonly keyPrefix: string;
  /** Whether every list gets a new ETag. Needed if the history is older than the lists that clients have received. */
  readonly renew: boolean;
  /** Called with each warning about the target. */
  readonly warn: (finding: string) => void;
}

export interface Transferred {
  readonly from: HistoryDigest;
  /** The digest of the data that was read back from the target. Equal to `from`, unless `renew` is true. */
  readonly to: HistoryDigest;
}

/**
 * Copies the history of one location into an empty location: state, revisions and all audit events. The copy gets a new epoch. The data is first
 * written beside the target and read back. If it is equal to the data that was sent, it becomes the content of the target in one step.
 * @throws ProgramError, StoreError with a message for users. If the history was not copied, the target is unchanged.
 */
export async function transfer(from: Location, to: Location, options: TransferOptions): Promise<Transferred> {
  if (describeLocation(from) === describeLocation(to)) throw new ProgramError('--from and --to are the same location');
  const source = await openSource(from, options.keyPrefix);
  try {
    const transferred = await transferHistory(source, to, options);
    // Counters are copied after the history, because they are copied into an existing store.
    await copyCountersOrWarn(source, to, options);
    return transferred;
  } finally {
    await source.close();
  }
}

async function transferHistory(source: Source, to: Location, options: TransferOptions): Promise<Transferred> {
  const stateBefore = await digestState(source.state);
  const history = options.renew ? renewRevisions(source) : source.history;
  const staging = await openStaging(to, history, options);
  try {
    const tally = await fill(staging, source);
    await staging.seal();
    const sent = await digestOf(source.state, tally);
    const found = await readBack(staging, describeLocation(to));
    if (sent.state !== found.state || sent.events !== found.events) {
      throw new ProgramError(
        `the data that was read back from ${describeLocation(to)} differs from the data that was written: nothing was copied`,
      );
    }
    await staging.commit();
    return { from: { ...sent, state: stateBefore, seq: source.history.seq }, to: found };
  } finally {
    await staging.close();
  }
}

/** Copies the counters. A failure is only a warning, because the target works without counters. */
async function copyCountersOrWarn(
  { counters }: Source,
  to: Location,
  { keyPrefix, warn }: TransferOptions,
): Promise<void> {
  if (!counters || to.kind === 'file') return;
  try {
    await copyCounters(counters, to, keyPrefix);
  } catch (error) {
    if (!(error instanceof StoreError || error instanceof ProgramError)) throw error;
    warn(
      `the copy is complete, except for the counts of metrics reports (docs/reach/metrics.md), of which some are missing: ${error.message}`,
    );
  }
}

/** The digest of the history in a location. @throws ProgramError, StoreError with a message for users. */
export async function digestLocation(location: Location, keyPrefix: string): Promise<HistoryDigest> {
  const source = await openSource(location, keyPrefix);
  try {
    return await digestOf(source.state, await tallyOf(source.events()));
  } finally {
    await source.close();
  }
}

function openStaging(location: Location, history: StagedHistory, options: TransferOptions): Promise<Staging> {
  if (location.kind === 'file') return stageInFile(location.path, history);
  if (location.kind === 'lmdb') return stageInDirectory(location.directory, history);
  return stageInRedis({ url: location.url, keyPrefix: options.keyPrefix }, history, options.warn);
}

async function fill(staging: Staging, source: Source): Promise<EventTally> {
  await staging.putSnapshot(encodeSnapshot(source.state, SERVICE));
  const tally = new EventTally();
  for await (const events of source.events()) {
    for (const event of events) tally.add(event);
    await staging.putEvents(events);
  }
  return tally;
}

async function readBack(staging: Staging, where: string): Promise<HistoryDigest> {
  const state = await withLocationInErrors(where, () => decodeSnapshot(staging.readSnapshot()));
  return digestOf(state, await tallyOf(staging.readEvents()));
}

async function tallyOf(batches: AsyncIterable<readonly EventEntry[]>): Promise<EventTally> {
  const tally = new EventTally();
  for await (const events of batches) for (const event of events) tally.add(event);
  return tally;
}

async function digestOf(state: State, tally: EventTally): Promise<HistoryDigest> {
  return {
    seq: state.seq,
    flags: state.size('features'),
    eventCount: tally.count,
    state: await digestState(state),
    events: tally.digest(),
  };
}

/**
 * Increases the sequence number and all revisions of the state in place, so that no revision is equal to one that a client has received. Returns the
 * history with the new sequence number.
 */
function renewRevisions({ state, history }: Source): StagedHistory {
  state.seq += RENEWAL;
  for (const [key] of state.revisions.entries()) state.revisions.touch(key, state.seq);
  return { ...history, seq: state.seq };
}
