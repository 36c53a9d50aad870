import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { measureBrowsers } from './streams/browsers.ts';
import { measureBytes } from './streams/bytes.ts';
import { Readers } from './streams/readers.ts';
import { Connection, requestBytes, targetOf } from './support/connection.ts';
import { makeFlags } from './support/flags.ts';
import { freePort } from './support/free-port.ts';
import { switchRequest } from './support/paths.ts';
import {
  aside,
  atMost,
  type Figure,
  finish,
  machine,
  median,
  microseconds,
  milliseconds,
  percentile,
  setting,
} from './support/report.ts';
import { CLIENT_TOKEN, type Process, startProcess, startSeededService, untilReady } from './support/service.ts';

/**
 * What streams cost: from a change until all who listen have it, against a bare uWebSockets.js server that writes the same bytes to as many
 * connections; a whole fleet that comes back at once; readers that stall. What a change costs each way in bytes. The same of browsers, whose contexts differ. BENCH_FLAGS (500), BENCH_ROUNDS (30), BENCH_STREAMS (1000,5000).
 */
const FLAGS = setting('BENCH_FLAGS', 500);
const ROUNDS = setting('BENCH_ROUNDS', 30);
const SIZES = (process.env.BENCH_STREAMS ?? '1000,5000').split(',').map(Number);
const BARE = fileURLToPath(new URL('./support/bare-streams.js', import.meta.url));
const IDLE_MS = 5_000;

const features = makeFlags(FLAGS, { seed: 29 });
const [flag = ''] = features.map(({ name }) => name);

interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly last: number;
}

function spreadOf(times: readonly (readonly number[])[]): Spread {
  const of = (pick: (each: readonly number[]) => number) => median(times.map(pick));
  return {
    p50: of((each) => percentile(each, 0.5)),
    p99: of((each) => percentile(each, 0.99)),
    last: of((each) => Math.max(...each)),
  };
}

/** Writes one after the other, each switching the flag over. */
class Switches {
  readonly #connection: Connection;
  readonly #target: ReturnType<typeof targetOf>;
  #isOn = false;

  constructor(url: string) {
    this.#target = targetOf(url);
    this.#connection = new Connection(this.#target);
  }

  /** What the stream holds when the switch has arrived: each revision is a new one. */
  async next(): Promise<void> {
    this.#isOn = !this.#isOn;
    const { status } = await this.#connection.ask(switchRequest(this.#target, flag, this.#isOn ? 'on' : 'off'));
    if (status !== 200) throw new Error(`a write was answered ${status}`);
  }

  close(): void {
    this.#connection.close();
  }
}

/** The most that the process had in memory meanwhile, as far as it is seen when one looks a hundred times a second. */
async function peakDuring<T>(service: Process, work: () => Promise<T>): Promise<{ value: T; peakBytes: number }> {
  let peakBytes = service.residentBytes();
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, service.residentBytes());
  }, 10);
  try {
    return { value: await work(), peakBytes };
  } finally {
    clearInterval(timer);
  }
}

async function measure(count: number): Promise<Figure[]> {
  const service = await startSeededService(features);
  const barePort = await freePort();
  const bare = await startProcess(BARE, [String(barePort)], {}, barePort);
  const switches = new Switches(service.url);
  const ours = new Readers(service.url, '/api/client/streaming', { authorization: CLIENT_TOKEN });
  const floors = new Readers(bare.url, '/stream');
  const bareTarget = targetOf(bare.url);
  const teller = new Connection(bareTarget);
  try {
    await untilReady(bare);
    const alone: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const startedMs = performance.now();
      await switches.next();
      alone.push(performance.now() - startedMs);
    }
    const restingBytes = service.residentBytes();
    const cpuBeforeS = service.cpuS();
    const { value: opened, peakBytes } = await peakDuring(service, () => ours.open(count, 'unleash-connected'));
    const openCpuUs = ((service.cpuS() - cpuBeforeS) / count) * 1e6;
    await floors.open(count, ':\n\n');
    const residentBytes = (service.residentBytes() - restingBytes) / count;
    const idleBeforeS = service.cpuS();
    await sleep(IDLE_MS);
    const idleCpuUs = ((service.cpuS() - idleBeforeS) / count / (IDLE_MS / 1000)) * 1e6;

    const bytesBefore = ours.bytes;
    await ours.told('unleash-updated', () => switches.next());
    const eventBytes = Math.round((ours.bytes - bytesBefore) / count);
    const event = `event: unleash-updated\n${'x'.repeat(Math.max(0, eventBytes - 30))}\n\n`;
    const tell = requestBytes('POST', bareTarget, '/tell', {}, event);
    const told: (readonly number[])[] = [];
    const floor: (readonly number[])[] = [];
    const cpuOfChangesS = service.cpuS();
    for (let round = 0; round < ROUNDS; round++) told.push(await ours.told('unleash-updated', () => switches.next()));
    const changeCpuUs = ((service.cpuS() - cpuOfChangesS) / ROUNDS / count) * 1e6;
    const bareBeforeS = bare.cpuS();
    for (let round = 0; round < ROUNDS; round++)
      floor.push(await floors.told('unleash-updated', () => teller.ask(tell)));
    const bareCpuUs = ((bare.cpuS() - bareBeforeS) / ROUNDS / count) * 1e6;

    ours.stall(Math.floor(count / 10));
    const beside: (readonly number[])[] = [];
    for (let round = 0; round < ROUNDS; round++) beside.push(await ours.told('unleash-updated', () => switches.next()));

    const [spread, bareSpread, stalled] = [spreadOf(told), spreadOf(floor), spreadOf(beside)];
    const write = median(alone);
    const compare = (share: keyof Spread) => ({
      name: `change → ${share === 'last' ? 'the last' : share} of ${count} streams / a write by itself and bare uWS writing the same ${eventBytes} B`,
      ours: milliseconds(spread[share]),
      floor: milliseconds(bareSpread[share] + write),
      ratio: spread[share] / (bareSpread[share] + write),
    });
    return [
      aside(compare('p50')),
      aside(compare('p99')),
      atMost(1.5, compare('last')),
      aside({
        name: `CPU of the process a change and stream, ${count} streams`,
        ours: microseconds(changeCpuUs),
        floor: microseconds(bareCpuUs),
        ratio: changeCpuUs / bareCpuUs,
      }),
      aside({
        name: `p99 of the others while 10 % of ${count} stall / while none does`,
        ours: milliseconds(stalled.p99),
        floor: milliseconds(spread.p99),
        ratio: stalled.p99 / spread.p99,
      }),
      aside({
        name: `${count} streams at once: until the last has everything; CPU a stream`,
        ours: milliseconds(Math.max(...opened)),
        floor: microseconds(openCpuUs),
        ratio: null,
      }),
      aside({
        name: `${count} streams at once: resident memory at most, beyond that before them, a stream`,
        ours: `${((peakBytes - restingBytes) / count / 1024).toFixed(1)} kB`,
        floor: '',
        ratio: null,
      }),
      aside({
        name: `an idle stream of ${count}: memory; CPU a second`,
        ours: `${(residentBytes / 1024).toFixed(1)} kB`,
        floor: microseconds(idleCpuUs),
        ratio: null,
      }),
    ];
  } finally {
    ours.close();
    floors.close();
    teller.close();
    switches.close();
    await service.end();
    await bare.end();
  }
}

const figures: Figure[] = process.env.BENCH_ONLY === 'browsers' ? [] : await measureBytes(features, 10);
const SDKS = process.env.BENCH_ONLY !== 'browsers';
for (const count of SIZES) if (SDKS) figures.push(...(await measure(count)));
for (const count of SIZES) figures.push(...(await measureBrowsers(count, features, ROUNDS)));
finish(`Streams (${machine()})`, figures, [
  'Readers run in one process beside both servers: on few cores their own cost is in both figures. A write is durable before it is told; the floor has a write by itself added.',
]);
