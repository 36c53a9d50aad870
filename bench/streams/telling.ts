import { setTimeout as sleep } from 'node:timers/promises';
import { median, percentile } from '../support/report.ts';
import type { Process } from '../support/service.ts';
import { type Readers, UPDATED } from './readers.ts';

/** What a server still does when the last was told is a cost of the change, too. */
const REST_MS = 20;

/** Those who are told of a change, and what makes them be told. */
export interface Told {
  readonly server: Process;
  readonly readers: Readers;
  readonly cause: () => Promise<unknown>;
}

interface Telling {
  /** Of each round, milliseconds from its cause until each reader had the change. */
  readonly times: readonly (readonly number[])[];
  /** Processor time of the server, microseconds a change and stream. */
  readonly cpuUs: number;
}

/** Of the rounds' own: their medians. */
export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly last: number;
}

export function spreadOf(times: Telling['times']): Spread {
  const of = (pick: (each: readonly number[]) => number) => median(times.map(pick));
  return {
    p50: of((each) => percentile(each, 0.5)),
    p99: of((each) => percentile(each, 0.99)),
    last: of((each) => Math.max(...each)),
  };
}

/** Rounds of both in turn, in alternating order, after one of each that does not count. */
export async function tellInTurn(rounds: number, ours: Told, floor: Told): Promise<{ ours: Telling; floor: Telling }> {
  const sides = [new Side(ours), new Side(floor)] as const;
  for (const side of sides) await side.tell();
  for (const side of sides) side.begin();
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) await side.tell();
  return { ours: sides[0].telling(), floor: sides[1].telling() };
}

class Side {
  readonly #told: Told;
  #times: (readonly number[])[] = [];
  #cpuS = 0;

  constructor(told: Told) {
    this.#told = told;
  }

  begin(): void {
    this.#times = [];
    this.#cpuS = 0;
  }

  async tell(): Promise<void> {
    const { server, readers, cause } = this.#told;
    const beforeS = server.cpuS();
    this.#times.push(await readers.told(UPDATED, cause));
    await sleep(REST_MS);
    this.#cpuS += server.cpuS() - beforeS;
  }

  telling(): Telling {
    const changes = this.#times.length * this.#told.readers.count;
    return { times: this.#times, cpuUs: (this.#cpuS / changes) * 1e6 };
  }
}

/** Bytes on the wire of a change, a reader: there and back are one more and one less. */
export async function bytesOfChange({ readers, cause }: Told): Promise<number> {
  // Who was told this moment is sent nothing else meanwhile: a line that says that somebody is there comes after seconds.
  await readers.told(UPDATED, cause);
  const before = readers.bytes;
  for (let turn = 0; turn < 2; turn++) await readers.told(UPDATED, cause);
  return Math.round((readers.bytes - before) / readers.count / 2);
}

/** The end of a chunk, and of the line with its length. */
const CHUNK_BREAKS_BYTES = 4;

/** An event that takes as many bytes on the wire, the frame of its chunk included, or one less where a frame of that length does not exist. */
export function eventOf(wireBytes: number): string {
  const [begin, end] = [UPDATED, '\n\n'];
  let length = wireBytes - CHUNK_BREAKS_BYTES - 1;
  while (length + length.toString(16).length + CHUNK_BREAKS_BYTES > wireBytes) length--;
  return `${begin}${'x'.repeat(Math.max(0, length - begin.length - end.length))}${end}`;
}
