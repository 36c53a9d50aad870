import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { measureBrowsers } from './streams/browsers.ts';
import { measureBytes } from './streams/bytes.ts';
import { measureCpuBesideConsoles } from './streams/cpu-beside-consoles.ts';
import { measureLargeAnswers } from './streams/large-answers.ts';
import { measureOpenFeature } from './streams/open-feature.ts';
import { type Arrival, arrivalFigures, arrive, kilobytes, leave } from './streams/opening.ts';
import { measurePeople } from './streams/people.ts';
import { measurePollsBesideConsoles } from './streams/polls-beside-consoles.ts';
import { Readers, UPDATED } from './streams/readers.ts';
import { bytesOfChange, eventOf, type Sending, type Spread, sendInTurn, spreadOf } from './streams/sending.ts';
import { measureStalled } from './streams/stalled.ts';
import { Switches } from './streams/switches.ts';
import { Connection, requestBytes, targetOf } from './support/connection.ts';
import { makeFlags } from './support/flags.ts';
import { freePort } from './support/free-port.ts';
import {
  aside,
  atMost,
  type Figure,
  finish,
  machine,
  median,
  microseconds,
  milliseconds,
  setting,
} from './support/report.ts';
import { CLIENT_TOKEN, type Process, startProcess, startSeededService, untilReady } from './support/service.ts';

/**
 * What streams cost: from a change until every stream has it, against a bare uWebSockets.js server that writes the same bytes to as many connections; a
 * whole fleet that connects at once, for the first time and again, with all requests there before the first is answered; readers that stall. The bytes that
 * a change costs for each way of connecting. The same for browsers, whose contexts differ, and for people who follow the changes; polls beside
 * open consoles. How long the loop is held by large lists and exports.
 * BENCH_FLAGS (500), BENCH_ROUNDS (30), BENCH_STREAMS (1000,5000), BENCH_PARTS (bytes,large,streams,stalled,browsers,ofrep,people,consoles,looking).
 */
const FLAGS = setting('BENCH_FLAGS', 500);
const ROUNDS = setting('BENCH_ROUNDS', 30);
const SIZES = (process.env.BENCH_STREAMS ?? '1000,5000').split(',').map(Number);
const PARTS = new Set(
  (process.env.BENCH_PARTS ?? 'bytes,large,streams,stalled,browsers,ofrep,people,consoles,looking').split(','),
);
const BARE = fileURLToPath(new URL('./support/bare-streams.js', import.meta.url));
const IDLE_MS = 5_000;
const BYTES_ROUNDS = 10;
const LOOKING_ROUNDS = 5;
/** Warm-up writes before the measured ones. */
const WARM_UP_WRITES = 10;

const features = makeFlags(FLAGS, { seed: 29 });
const [flag = ''] = features.map(({ name }) => name);

/** Milliseconds of a write while no stream is open. */
async function timeWrite(switches: Switches): Promise<number> {
  for (let round = 0; round < WARM_UP_WRITES; round++) await switches.next(flag);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedMs = performance.now();
    await switches.next(flag);
    times.push(performance.now() - startedMs);
  }
  return median(times);
}

interface Openings {
  readonly first: Arrival;
  readonly back: Arrival;
  /** Of a stream that gets no events: bytes of memory, and processor time a second. */
  readonly idleBytes: number;
  readonly idleCpuUs: number;
}

/** A fleet connects, listens, disconnects, and connects again after a change. */
async function open(service: Process, readers: Readers, count: number, change: () => Promise<void>): Promise<Openings> {
  const restingBytes = service.residentBytes();
  const first = await arrive(service, readers, count);
  const beforeS = service.cpuS();
  await sleep(IDLE_MS);
  const idleCpuUs = ((service.cpuS() - beforeS) / count / (IDLE_MS / 1000)) * 1e6;
  const idleBytes = (service.residentBytes() - restingBytes) / count;
  await leave(service, readers);
  await change();
  return { first, idleBytes, idleCpuUs, back: await arrive(service, readers, count, UPDATED) };
}

function openingFigures(count: number, { first, back, idleBytes, idleCpuUs }: Openings): Figure[] {
  return [
    ...arrivalFigures(`${count} streams at once`, first),
    ...arrivalFigures(`${count} streams come back at once (Last-Event-ID), one flag has changed`, back),
    aside({
      name: `an idle stream of ${count}: memory; CPU a second`,
      ours: kilobytes(idleBytes),
      floor: microseconds(idleCpuUs),
      ratio: null,
    }),
  ];
}

async function measure(count: number): Promise<Figure[]> {
  const service = await startSeededService(features);
  const barePort = await freePort();
  const bare = await startProcess(BARE, [String(barePort)], {}, barePort);
  const switches = new Switches(service.url);
  const ours = new Readers(service.url, '/api/client/streaming', { authorization: CLIENT_TOKEN });
  const floors = new Readers(bare.url, '/stream');
  const bareTarget = targetOf(bare.url);
  const sender = new Connection(bareTarget);
  try {
    await untilReady(bare);
    const writeMs = await timeWrite(switches);
    const change = () => switches.next(flag);
    const openings = await open(service, ours, count, change);
    await floors.open(bare, count);
    const sent: Sending = { server: service, readers: ours, cause: change };
    const eventBytes = await bytesOfChange(sent);
    const send = requestBytes('POST', bareTarget, '/tell', {}, eventOf(eventBytes));
    const sendTimes = await sendInTurn(ROUNDS, sent, {
      server: bare,
      readers: floors,
      cause: () => sender.ask(send),
    });
    return [...tellingFigures(count, eventBytes, writeMs, sendTimes), ...openingFigures(count, openings)];
  } finally {
    ours.close();
    floors.close();
    sender.close();
    switches.close();
    await service.end();
    await bare.end();
  }
}

type Tellings = Awaited<ReturnType<typeof sendInTurn>>;

function tellingFigures(count: number, eventBytes: number, writeMs: number, { ours, floor }: Tellings): Figure[] {
  const [spread, bareSpread] = [spreadOf(ours.times), spreadOf(floor.times)];
  const compare = (share: keyof Spread) => ({
    name: `change → ${share === 'last' ? 'the last' : share} of ${count} streams / a write by itself and bare uWS writing the same ${eventBytes} B`,
    ours: milliseconds(spread[share]),
    floor: milliseconds(bareSpread[share] + writeMs),
    ratio: spread[share] / (bareSpread[share] + writeMs),
  });
  return [
    aside(compare('p50')),
    aside(compare('p99')),
    atMost(1.5, compare('last')),
    aside({
      name: `CPU of the process a change and stream, ${count} streams`,
      ours: microseconds(ours.cpuUs),
      floor: microseconds(floor.cpuUs),
      ratio: ours.cpuUs / floor.cpuUs,
    }),
  ];
}

const figures: Figure[] = [];
if (PARTS.has('bytes')) figures.push(...(await measureBytes(features, BYTES_ROUNDS)));
if (PARTS.has('large')) figures.push(...(await measureLargeAnswers()));
for (const count of SIZES) {
  if (PARTS.has('streams')) figures.push(...(await measure(count)));
  if (PARTS.has('stalled')) figures.push(...(await measureStalled(count, features, ROUNDS)));
}
for (const count of SIZES) if (PARTS.has('browsers')) figures.push(...(await measureBrowsers(count, features, ROUNDS)));
for (const count of SIZES) if (PARTS.has('ofrep')) figures.push(...(await measureOpenFeature(count, features, ROUNDS)));
for (const count of SIZES) if (PARTS.has('people')) figures.push(...(await measurePeople(count, features, ROUNDS)));
if (PARTS.has('consoles')) figures.push(...(await measurePollsBesideConsoles(features, ROUNDS)));
if (PARTS.has('looking')) figures.push(...(await measureCpuBesideConsoles(features, Math.min(ROUNDS, LOOKING_ROUNDS))));
finish(`Streams (${machine()})`, figures, [
  'Readers run in one process beside both servers: on few cores both results include the cost of the readers. A write is durable before it is sent to streams; the time of one write alone is added to the floor.',
  'Open consoles are a process of their own on the same machine. Half of them show the list of flags, half the home screen; all are in view.',
  'Streams that come at once connect and send their requests while the service is stopped; times count from when it continues.',
]);
