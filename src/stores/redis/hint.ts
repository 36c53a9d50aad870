import type { LogEntry } from '../store.ts';

/** A message of the channel: it informs the other replicas that a replica appended. */
export interface Hint {
  /** The replica that appended. */
  readonly sender: string;
  readonly epoch: string;
  readonly tip: number;
  /** The writeId of the newest entry. */
  readonly writeId: string;
  /** The entries up to `tip`, if they were small enough for the message; else empty. */
  readonly entries: readonly LogEntry[];
}

const NEWLINE = 0x0a;
const SPACE = 0x20;

/** Whether the replica itself sent the message. It ignores such messages, because it already has their entries. */
export function isFrom(replica: string, message: Buffer): boolean {
  return message[replica.length] === SPACE && message.toString('latin1', 0, replica.length) === replica;
}

/**
 * Decodes the message that the append script publishes: `sender epoch tip writeId[ length,…]`, a newline, the entries' bytes. Undefined for any other
 * message.
 */
export function decodeHint(message: Buffer): Hint | undefined {
  const headEnd = message.indexOf(NEWLINE);
  if (headEnd < 0) return undefined;
  const [sender = '', epoch = '', tipText = '', writeId = '', lengthsText = ''] = message
    .toString('latin1', 0, headEnd)
    .split(' ');
  const tip = Number(tipText);
  if (epoch === '' || !Number.isSafeInteger(tip)) return undefined;
  const lengths = lengthsText === '' ? [] : lengthsText.split(',').map(Number);
  const entries: LogEntry[] = [];
  let start = headEnd + 1;
  for (const [index, length] of lengths.entries()) {
    const end = start + length;
    if (!(end <= message.length)) return undefined;
    entries.push({
      seq: tip - lengths.length + 1 + index,
      bytes: message.subarray(start, end),
      origin: { epoch, writeId },
    });
    start = end;
  }
  return { sender, epoch, tip, writeId, entries };
}
