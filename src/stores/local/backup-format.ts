import type { StagedHistory } from '../staging.ts';
import type { EventEntry } from '../store.ts';
import { type Frame, FramedFileError, KIND, readFrames } from './framed-file.ts';

/** The content of the end frame of a backup, as JSON. */
interface BackupEnd {
  readonly history: StagedHistory;
  /** The mark of the history of the commits, see `Revisions.mark`. */
  readonly mark: string;
  /** The number of frames of each kind. */
  readonly pieces: number;
  readonly commits: number;
  readonly batches: number;
}

/** Counts the frames of a backup, and makes its last frame from the counts. */
export class BackupTally {
  #pieces = 0;
  #commits = 0;
  #batches = 0;

  /** Counts the frame, and returns it. */
  count(frame: Frame): Frame {
    if (frame.kind === KIND.piece) this.#pieces += 1;
    else if (frame.kind === KIND.commit) this.#commits += 1;
    else if (frame.kind === KIND.events) this.#batches += 1;
    return frame;
  }

  pieceFrame(bytes: Uint8Array): Frame {
    return this.count({ kind: KIND.piece, bytes });
  }

  eventsFrame(events: readonly EventEntry[]): Frame {
    return this.count({ kind: KIND.events, bytes: encodeEvents(events) });
  }

  endFrame(history: StagedHistory, mark = ''): Frame {
    const end: BackupEnd = { history, mark, pieces: this.#pieces, commits: this.#commits, batches: this.#batches };
    return { kind: KIND.end, bytes: Buffer.from(JSON.stringify(end)) };
  }

  matches({ pieces, commits, batches }: BackupEnd): boolean {
    return pieces === this.#pieces && commits === this.#commits && batches === this.#batches;
  }
}

export type BackupHistory = Pick<BackupEnd, 'history' | 'mark'>;

/** Reads a backup to its end. @throws FramedFileError unless it is complete: no part of an incomplete backup is used. */
export async function checkBackup(path: string): Promise<BackupHistory> {
  const tally = new BackupTally();
  let end: Frame | undefined;
  for await (const frame of readFrames(path)) end = tally.count(frame);
  // Only at this point is it certain that the bytes are the written ones.
  const content = JSON.parse(Buffer.from(end?.bytes ?? []).toString('utf8')) as BackupEnd | { pieces?: undefined };
  if (content.pieces === undefined) throw new FramedFileError(`${path} is the local copy of a replica, not a backup`);
  if (!tally.matches(content)) throw new FramedFileError(`${path} is damaged: some of its parts are missing`);
  return { history: content.history, mark: content.mark };
}

/** Each event is its id (eight bytes), its length (four bytes) and its bytes. */
function encodeEvents(events: readonly EventEntry[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const { id, bytes } of events) {
    const head = Buffer.alloc(12);
    head.writeBigUInt64LE(BigInt(id), 0);
    head.writeUInt32LE(bytes.length, 8);
    parts.push(head, bytes);
  }
  return Buffer.concat(parts);
}

export function decodeEvents(bytes: Uint8Array): EventEntry[] {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const events: EventEntry[] = [];
  for (let at = 0; at < content.length; ) {
    const end = at + 12 + content.readUInt32LE(at + 8);
    events.push({ id: Number(content.readBigUInt64LE(at)), bytes: content.subarray(at + 12, end) });
    at = end;
  }
  return events;
}
