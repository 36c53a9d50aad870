import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Feature } from '../../src/model/feature.ts';
import { requestBytes, targetOf } from '../support/connection.ts';
import { makeFlags } from '../support/flags.ts';
import { atMost, type Figure, inform, kilobytes, median, medians, megabytes, milliseconds } from '../support/report.ts';
import { CLIENT_TOKEN, type Process, startSeededService } from '../support/service.ts';
import { untilStreams } from './opening.ts';
import { BEGUN, Readers, UPDATED } from './readers.ts';
import { spreadOf } from './sending.ts';
import { Switches } from './switches.ts';

const PATH = '/api/client/streaming';
const HEADERS = { authorization: CLIENT_TOKEN };
/**
 * Number of flags that makes a list larger than what the kernel buffers for a reader that does not read, which is some megabytes. Each flag has nearly the
 * maximum size.
 */
const LARGE_FLAGS = 70;
const CONSTRAINTS = 9;
const VALUES = 250;
const VALUE_CHARS = 100;

/** Rounds without and with stalled readers alternate. */
const TURNS = 3;
const TRIES_MAX = 9;
/** Counted from the first stalled reader: the service ends such streams after ten seconds, and sometimes after eight. */
const STALLED_MAX_MS = 7_000;
const CONNECTING_AT_ONCE = 100;
const LOOK_EVERY_MS = 200;

function largeFlags(): Feature[] {
  const values = Array.from({ length: VALUES }, (_, at) => `user-${at}-`.padEnd(VALUE_CHARS, 'x'));
  const constraints = Array.from({ length: CONSTRAINTS }, () => ({
    contextName: 'userId',
    operator: 'IN' as const,
    values,
  }));
  return makeFlags(LARGE_FLAGS, { seed: 31, strategies: 1, environments: ['development'] }).map((flag, index) => ({
    ...flag,
    name: `large-${index}`,
    environments: flag.environments.map((of) => ({
      ...of,
      strategies: of.strategies.map((strategy) => ({ ...strategy, constraints })),
    })),
  }));
}

/** One turn with stalled readers, between two without. */
interface Turn {
  /** p99 of the others, milliseconds. */
  readonly before: number;
  readonly during: number;
  readonly after: number;
  /** The largest number of bytes that the kernel buffered for one of them. */
  readonly tookBytes: number;
  /** Additional memory of the process, per stalled reader. */
  readonly keptBytes: number;
}

/**
 * How one tenth of stalled readers affects the others. Stalled readers request the same flags, but read nothing of a list of many megabytes, nor of the
 * changes after it. The others have that list, and are sent only changes.
 */
export async function measureStalled(count: number, features: readonly Feature[], rounds: number): Promise<Figure[]> {
  const [flag = ''] = features.map(({ name }) => name);
  const stalling = Math.max(1, Math.floor(count / 10));
  const service = await startSeededService([...features, ...largeFlags()]);
  const switches = new Switches(service.url);
  const one = new Readers(service.url, PATH, HEADERS);
  const readers: Readers[] = [one];
  try {
    await one.open(service, 1);
    const owedBytes = one.bytes;
    one.leave();
    const others = new Readers(service.url, PATH, { ...HEADERS, 'last-event-id': one.lastEventId ?? '' });
    readers.push(others);
    await others.open(service, count - stalling, BEGUN);
    const sent = () => others.sent(UPDATED, () => switches.next(flag));
    const send = (deadlineMs?: number) => p99For(Math.ceil(rounds / TURNS), sent, deadlineMs);
    await send();
    const turns: Turn[] = [];
    let before = await send();
    for (let tries = 0; turns.length < TURNS && tries < TRIES_MAX; tries++) {
      const stalled = await whileStalled(service, stalling, owedBytes, send);
      await untilStreams(service, others.count);
      const after = await send();
      if (stalled) turns.push({ before, ...stalled, after });
      before = after;
    }
    if (turns.length === 0) throw new Error('no reader stalled long enough to be measured');
    return figuresOf(count, owedBytes, turns);
  } finally {
    for (const each of readers) each.close();
    switches.close();
    await service.end();
  }
}

/** The median of the rounds' 99th percentiles, over `rounds` rounds or as many as end before the deadline. */
async function p99For(
  rounds: number,
  send: () => Promise<readonly number[]>,
  deadlineMs = Number.POSITIVE_INFINITY,
): Promise<number> {
  const times = [await send()];
  while (times.length < rounds && performance.now() < deadlineMs) times.push(await send());
  return spreadOf(times).p99;
}

/** Undefined when the service did not wait for all stalled readers from before the first round until after the last. */
async function whileStalled(
  service: Process,
  count: number,
  owedBytes: number,
  send: (deadlineMs: number) => Promise<number>,
): Promise<Omit<Turn, 'before' | 'after'> | undefined> {
  const residentBytes = service.residentBytes();
  const deadlineMs = performance.now() + STALLED_MAX_MS;
  const stalled = new StalledReaders(service, owedBytes);
  try {
    await stalled.open(count);
    await stalled.untilBlocked(deadlineMs);
    const during = await send(deadlineMs);
    const tookBytes = stalled.tookBytes();
    if (tookBytes === undefined) return undefined;
    return { during, tookBytes, keptBytes: (service.residentBytes() - residentBytes) / count };
  } finally {
    stalled.close();
  }
}

function figuresOf(count: number, owedBytes: number, turns: readonly Turn[]): Figure[] {
  const of = (pick: (turn: Turn) => number) => median(turns.map(pick));
  const took = `each owed ${megabytes(owedBytes)}, of which the kernel took ${megabytes(of(({ tookBytes }) => tookBytes))}`;
  return [
    atMost(1.2, {
      name: `p99 of the others while 10 % of ${count} stall (${took}) / while none does`,
      ours: milliseconds(of(({ during }) => during)),
      floor: milliseconds(of(({ before, after }) => (before + after) / 2)),
      ratio: of(({ before, during, after }) => (2 * during) / (before + after)),
    }),
    medians(
      turns,
      `p99 of the others while none stalls, after / before: what the machine does by itself, ${count} streams`,
      'ms',
      ({ after, before }) => [after, before],
    ),
    inform(
      `memory of the process a reader that stalls, the list that they share included, ${count} streams`,
      kilobytes(of(({ keptBytes }) => keptBytes)),
    ),
  ];
}

/** Readers that request everything and read nothing. */
class StalledReaders {
  readonly #sockets: Socket[] = [];
  readonly #service: Process;
  readonly #owedBytes: number;

  /** `owedBytes`: the number of bytes that each should get. */
  constructor(service: Process, owedBytes: number) {
    this.#service = service;
    this.#owedBytes = owedBytes;
  }

  async open(count: number): Promise<void> {
    while (this.#sockets.length < count) {
      const some = Math.min(CONNECTING_AT_ONCE, count - this.#sockets.length);
      await Promise.all(Array.from({ length: some }, () => this.#connect()));
    }
  }

  /**
   * Resolves when the kernel buffers no more for any of them, or at the deadline. @throws Error when the kernel buffers everything: then the service waits
   * for no reader.
   */
  async untilBlocked(deadlineMs: number): Promise<void> {
    for (let before = ''; performance.now() < deadlineMs; await sleep(LOOK_EVERY_MS)) {
      const sent = this.#held().map((one) => one?.sentBytes);
      if (sent.some((sentBytes = 0) => sentBytes >= this.#owedBytes))
        throw new Error(`the kernel buffers all of the ${megabytes(this.#owedBytes)} of a stalled reader`);
      const now = sent.join();
      if (now === before && this.tookBytes() !== undefined) return;
      before = now;
    }
  }

  /** The largest number of bytes that the kernel buffered for one of them; undefined unless the service waits for each of them. */
  tookBytes(): number | undefined {
    const held = this.#held();
    const isBlocked = (one: Held | undefined) =>
      one !== undefined && one.waitingBytes > 0 && one.sentBytes < this.#owedBytes;
    return held.every(isBlocked) ? Math.max(...held.map((one) => one?.sentBytes ?? 0)) : undefined;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.length = 0;
  }

  #connect(): Promise<void> {
    const target = targetOf(this.#service.url);
    const socket = connect({ host: target.host, port: target.port });
    // Paused from the beginning, so that nothing is read.
    socket.pause();
    socket.write(requestBytes('GET', target, PATH, HEADERS));
    this.#sockets.push(socket);
    return new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.on('error', reject);
    });
  }

  #held(): (Held | undefined)[] {
    const held = heldByKernel(this.#service.port);
    return this.#sockets.map(({ localPort }) => held.get(localPort ?? 0));
  }
}

/** What the kernel buffers for one connection. */
interface Held {
  /** Bytes that the server has written and the reader has not read. */
  readonly sentBytes: number;
  /** The part of them that does not fit into the buffer on the reader's side. */
  readonly waitingBytes: number;
}

const ESTABLISHED = '01';

/** By the port of the reader: connections to this port that are open on both sides. */
function heldByKernel(serverPort: number): Map<number, Held> {
  const [waiting, unread] = [new Map<number, number>(), new Map<number, number>()];
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local = '', remote = '', state, queues = ''] = line.trim().split(/\s+/);
    if (state !== ESTABLISHED) continue;
    const [localPort, remotePort] = [local, remote].map((address) =>
      hexadecimal(address.slice(address.indexOf(':') + 1)),
    );
    const [sendBytes = 0, receiveBytes = 0] = queues.split(':').map(hexadecimal);
    if (localPort === serverPort) waiting.set(remotePort ?? 0, sendBytes);
    else if (remotePort === serverPort) unread.set(localPort ?? 0, receiveBytes);
  }
  const both = [...waiting].filter(([port]) => unread.has(port));
  return new Map(
    both.map(([port, waitingBytes]) => [port, { waitingBytes, sentBytes: waitingBytes + (unread.get(port) ?? 0) }]),
  );
}

const hexadecimal = (text: string): number => Number.parseInt(text, 16);
