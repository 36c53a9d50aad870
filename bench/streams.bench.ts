import { setTimeout as sleep } from 'node:timers/promises';
import { besideBare, cpuRow, reachRow, timeWrites } from './streams/beside-bare.ts';
import { measureBrowsers } from './streams/browsers.ts';
import { measureBytes } from './streams/bytes.ts';
import { measureCpuBesideConsoles } from './streams/cpu-beside-consoles.ts';
import { measureLargeAnswers } from './streams/large-answers.ts';
import { measureOpenFeature } from './streams/open-feature.ts';
import { type Arrival, arrivalFigures, arrive, leave } from './streams/opening.ts';
import { measurePeople } from './streams/people.ts';
import { measurePollsBesideConsoles } from './streams/polls-beside-consoles.ts';
import { type Readers, UPDATED } from './streams/readers.ts';
import { measureStalled } from './streams/stalled.ts';
import { makeFlags } from './support/flags.ts';
import {
  atMost,
  type Figure,
  finish,
  inform,
  kilobytes,
  microseconds,
  numbers,
  parts,
  settings,
} from './support/report.ts';
import { CLIENT_TOKEN, type Process, startSeededService } from './support/service.ts';

/**
 * What streams cost: from a change until every stream has it, against a bare uWebSockets.js server that writes the same bytes to as many connections; a
 * whole fleet that connects at once, for the first time and again, with all requests there before the first is answered; readers that stall. The bytes that
 * a change costs for each way of connecting. The same for browsers, whose contexts differ, and for people who follow the changes; polls beside
 * open consoles. How long the loop is held by large lists and exports.
 * BENCH_FLAGS (500), BENCH_ROUNDS (30), BENCH_STREAMS (1000,5000), BENCH_PARTS (bytes,large,streams,stalled,browsers,ofrep,people,consoles,looking).
 */
const { FLAGS, ROUNDS } = settings({ FLAGS: 500, ROUNDS: 30 });
const SIZES = numbers('BENCH_STREAMS', '1000,5000');
const PARTS = parts('bytes,large,streams,stalled,browsers,ofrep,people,consoles,looking');
const IDLE_MS = 5_000;
const BYTES_ROUNDS = 10;
const LOOKING_ROUNDS = 5;

const features = makeFlags(FLAGS, { seed: 29 });
const [flag = ''] = features.map(({ name }) => name);

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
    inform(`an idle stream of ${count}: memory; CPU a second`, kilobytes(idleBytes), microseconds(idleCpuUs)),
  ];
}

async function measure(count: number): Promise<Figure[]> {
  const service = await startSeededService(features);
  const path = ['/api/client/streaming', { authorization: CLIENT_TOKEN }] as const;
  return besideBare(service, path, async ({ ours, switches, openFloor, send }) => {
    const writeMs = await timeWrites(switches, flag, ROUNDS);
    const openings = await open(service, ours, count, () => switches.next(flag));
    await openFloor(count);
    const sent = await send(ROUNDS, flag);
    const [who, than] = [`${count} streams`, `a write by itself and bare uWS writing the same ${sent.eventBytes} B`];
    return [
      reachRow(`change → p50 of ${who} / ${than}`, sent, 'p50', writeMs),
      reachRow(`change → p99 of ${who} / ${than}`, sent, 'p99', writeMs),
      atMost(1.5, reachRow(`change → the last of ${who} / ${than}`, sent, 'last', writeMs)),
      cpuRow(`CPU of the process a change and stream, ${who}`, sent),
      ...openingFigures(count, openings),
    ];
  });
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
finish('Streams', figures, [
  'Readers run in one process beside both servers: on few cores both results include the cost of the readers. A write is durable before it is sent to streams; the time of one write alone is added to the floor.',
  'Open consoles are a process of their own on the same machine. Half of them show the list of flags, half the home screen; all are in view.',
  'Streams that come at once connect and send their requests while the service is stopped; times count from when it continues.',
]);
