import { setTimeout as sleep } from 'node:timers/promises';
import { median, percentile } from '../support/report.ts';
import type { Process } from '../support/service.ts';
import { type Readers, UPDATED } from './readers.ts';

/** The work of a server after the last reader has the change is part of the cost, too. */
const REST_MS = 20;

/** Readers that are sent a change, their server, and what causes the change. */
export interface Sending {
  readonly server: Process;
  readonly readers: Readers;
  readonly cause: () => Promise<unknown>;
  /** The beginning of the event that a change causes. Default: `UPDATED`. */
  readonly marker?: string;
}

export interface SendTimes {
  /** For each round, the milliseconds from its cause until each reader had the change. */
  readonly times: readonly (readonly number[])[];
  /** Processor time of the server, microseconds a change and stream. */
  readonly cpuUs: number;
}

/** Medians over the rounds: of their 50th and 99th percentiles, and of their last readers. */
export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly last: number;
}

export function spreadOf(times: SendTimes['times']): Spread {
  const of = (pick: (each: readonly number[]) => number) => median(times.map(pick));
  return {
    p50: of((each) => percentile(each, 0.5)),
    p99: of((each) => percentile(each, 0.99)),
    last: of((each) => Math.max(...each)),
  };
}

/** Runs rounds of both sides in alternating order, after one warm-up round of each. */
export async function sendInTurn(
  rounds: number,
  ours: Sending,
  floor: Sending,
): Promise<{ ours: SendTimes; floor: SendTimes }> {
  const sides = [new Side(ours), new Side(floor)] as const;
  for (const side of sides) await side.send();
  for (const side of sides) side.begin();
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) await side.send();
  return { ours: sides[0].sendTimes(), floor: sides[1].sendTimes() };
}

class Side {
  readonly #sent: Sending;
  #times: (readonly number[])[] = [];
  #cpuS = 0;

  constructor(sent: Sending) {
    this.#sent = sent;
  }

  begin(): void {
    this.#times = [];
    this.#cpuS = 0;
  }

  async send(): Promise<void> {
    const { server, readers, cause, marker = UPDATED } = this.#sent;
    const beforeS = server.cpuS();
    this.#times.push(await readers.sent(marker, cause));
    await sleep(REST_MS);
    this.#cpuS += server.cpuS() - beforeS;
  }

  sendTimes(): SendTimes {
    const changes = this.#times.length * this.#sent.readers.count;
    return { times: this.#times, cpuUs: (this.#cpuS / changes) * 1e6 };
  }
}

/** Bytes on the wire per change and reader: the mean of switching on and switching off, whose lengths differ by one. */
export async function bytesOfChange({ readers, cause, marker = UPDATED }: Sending): Promise<number> {
  // Right after a change a reader is sent nothing else: the next keep-alive line comes seconds later.
  await readers.sent(marker, cause);
  const before = readers.bytes;
  for (let turn = 0; turn < 2; turn++) await readers.sent(marker, cause);
  return Math.round((readers.bytes - before) / readers.count / 2);
}

/** The line breaks after a chunk and after its length. */
const CHUNK_BREAKS_BYTES = 4;

/** An event that takes `wireBytes` bytes on the wire, including the frame of its chunk, or one byte less if there is no frame of that length. */
export function eventOf(wireBytes: number): string {
  const [begin, end] = [UPDATED, '\n\n'];
  let length = wireBytes - CHUNK_BREAKS_BYTES - 1;
  while (length + length.toString(16).length + CHUNK_BREAKS_BYTES > wireBytes) length--;
  return `${begin}${'x'.repeat(Math.max(0, length - begin.length - end.length))}${end}`;
}
