import type { Asker } from '../../../base/asking/asker.ts';
import { assert } from '../../../base/assert.ts';
import type { Replica } from '../../../engine/replica.ts';
import { StateFrames } from '../../../engine/state-frames.ts';
import { encodeSnapshot } from '../../../state/snapshot.ts';
import { BackupTally } from '../../../stores/local/backup-format.ts';
import { type Frame, framedChunks } from '../../../stores/local/framed-file.ts';
import { inBatches, type StagedHistory } from '../../../stores/staging.ts';
import type { EventEntry, Store } from '../../../stores/store.ts';

/** Called with the revision of the state in the backup, before its last chunk. */
type OnEnd = (seq: number) => void;

/**
 * The content of backups of a running service: the state of one moment and all audit events up to that moment, in the format of `burgee store
 * backup`.
 */
export class BackupContent {
  readonly #replica: Replica;
  readonly #store: Store;
  readonly #frames: StateFrames;

  constructor(replica: Replica, store: Store) {
    this.#replica = replica;
    this.#store = store;
    this.#frames = new StateFrames(replica);
  }

  /** About the number of bytes of a backup that is taken now: the state is encoded once to count them, in time slices. */
  async measure(signal: AbortSignal, asker: Asker): Promise<number> {
    let { sizeBytes } = await this.#store.measureAuditLog();
    sizeBytes ??= 0;
    for await (const piece of encodeSnapshot(this.#replica.state, asker)) {
      signal.throwIfAborted();
      sizeBytes += piece.length;
    }
    return sizeBytes;
  }

  /** The bytes of a backup. They end with an error once the signal is aborted. @throws StoreError, or if the state is replaced meanwhile */
  async *chunks(signal: AbortSignal, onEnd: OnEnd, asker: Asker): AsyncGenerator<Uint8Array, void, void> {
    for await (const bytes of framedChunks(this.#backupFrames(onEnd, asker))) {
      signal.throwIfAborted();
      yield bytes;
    }
  }

  async *#backupFrames(onEnd: OnEnd, asker: Asker): AsyncGenerator<Frame, void, void> {
    const tally = new BackupTally();
    let history: StagedHistory | undefined;
    let mark = '';
    const state = this.#frames.take(({ seq, lastEventId }) => {
      history = { seq, lastEventId, ancestor: this.#store.lineAt(seq) };
      mark = this.#replica.mark;
    }, asker);
    for await (const frame of state) yield tally.count(frame);
    assert(history, 'the frames of the state ended without a position');
    const { seq, lastEventId } = history as StagedHistory;
    const read = async (from: number, limit: number): Promise<EventEntry[]> => {
      const events = await this.#store.readEventsForward(from, limit);
      return events.filter(({ id }) => id <= lastEventId);
    };
    for await (const events of inBatches(read)) yield tally.eventsFrame(events);
    onEnd(seq);
    yield tally.endFrame(history as StagedHistory, mark);
  }
}
