import { setTimeout as sleep } from 'node:timers/promises';
import type { Feature } from '../../src/model/feature.ts';
import { atMost, type Figure, pair } from '../support/report.ts';
import { FRONTEND_TOKEN, type Process, startSeededService } from '../support/service.ts';
import { cpuRow, reachRow } from './beside-bare.ts';
import { PLAIN_FLAG } from './browsers.ts';

import { BEGUN, Readers } from './readers.ts';
import { type Sending, sendInTurn } from './sending.ts';
import { Switches } from './switches.ts';

const REFETCH = 'event: message\n';
const IDLE_MS = 5_000;

/** The path of OFREP's stream, from an answer with all flags. */
async function pushPath(url: string): Promise<string> {
  const headers = { authorization: FRONTEND_TOKEN, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/ofrep/v1/evaluate/flags`, { method: 'POST', headers, body: '{}' });
  const { eventStreams } = (await answer.json()) as {
    readonly eventStreams: readonly [{ endpoint: { requestUri: string } }];
  };
  return eventStreams[0].endpoint.requestUri;
}

interface Side {
  readonly service: Process;
  readonly switches: Switches;
  readonly sending: Sending;
  /** Of a stream that gets no events: bytes of memory, and microseconds of processor time a second. */
  readonly idleBytes: number;
  readonly idleUs: number;
}

async function sideOf(
  service: Process,
  readers: Readers,
  count: number,
  flag: string,
  markers: { readonly opened?: string; readonly changed?: string },
): Promise<Side> {
  const restingBytes = service.residentBytes();
  await readers.open(service, count, markers.opened);
  const beforeS = service.cpuS();
  await sleep(IDLE_MS);
  const switches = new Switches(service.url);
  return {
    service,
    switches,
    idleUs: ((service.cpuS() - beforeS) / count / (IDLE_MS / 1_000)) * 1e6,
    idleBytes: (service.residentBytes() - restingBytes) / count,
    sending: {
      server: service,
      readers,
      cause: () => switches.next(flag),
      ...(markers.changed && { marker: markers.changed }),
    },
  };
}

/** What a change costs for `count` streams of OFREP, against as many streams of browsers at a service of its own, in turn. */
export async function measureOpenFeature(
  count: number,
  features: readonly Feature[],
  rounds: number,
): Promise<Figure[]> {
  const flag = PLAIN_FLAG.name;
  const all = [...features, PLAIN_FLAG];
  const services = [await startSeededService(all), await startSeededService(all)] as const;
  const [ofOfrep, ofBrowsers] = services;
  const pushed = new Readers(ofOfrep.url, await pushPath(ofOfrep.url));
  const browsers = new Readers(ofBrowsers.url, (index) => `/api/frontend/streaming?userId=user-${index}`, {
    authorization: FRONTEND_TOKEN,
  });
  const sides: Side[] = [];
  try {
    const ours = await sideOf(ofOfrep, pushed, count, flag, { opened: BEGUN, changed: REFETCH });
    sides.push(ours);
    const theirs = await sideOf(ofBrowsers, browsers, count, flag, {});
    sides.push(theirs);
    const times = await sendInTurn(rounds, ours.sending, theirs.sending);
    const who = `${count} streams / a stream of browsers`;
    const last = `change → the last of ${count} streams of OFREP (above 1,000 one after the other) / of browsers`;
    return [
      atMost(1.1, cpuRow(`CPU a change and stream of OFREP, ${who}`, times)),
      reachRow(last, times, 'last'),
      pair(`CPU a second of an idle stream of OFREP, ${who}`, 'µs', ours.idleUs, theirs.idleUs),
      pair(`memory of a stream of OFREP, ${who}`, 'kB', ours.idleBytes, theirs.idleBytes),
    ];
  } finally {
    for (const { switches } of sides) switches.close();
    pushed.close();
    browsers.close();
    for (const service of services) await service.end();
  }
}
