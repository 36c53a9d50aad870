import { setTimeout as pause } from 'node:timers/promises';
import type { Feature } from '../../src/model/feature.ts';
import { Connection, requestBytes, targetOf } from '../support/connection.ts';
import { atMost, type Figure, milliseconds, setting } from '../support/report.ts';
import type { Process } from '../support/service.ts';
import { ask, type ChangedService, costMs, headers, withChangedService } from './reads.ts';

/** BENCH_AFTER_S (10): for how long the service is watched after a caller has left. */
const AFTER_MS = setting('BENCH_AFTER_S', 10) * 1_000;
const AFTER_MS_MAX = 50;
const COMMITS_PER_S = 10;
const READS = 30;
const TIMES_MAX = 2;

const environment = 'development';
const context = { appName: 'bench', userId: '7' };

/** Long requests of a viewer or an admin: their path, and their body if they have one. */
const requestsAt = (revision: number): Readonly<Record<string, readonly [path: string, body?: object]>> => ({
  'flags of the past': [`/api/admin/projects/default/features?at=${revision}`],
  'advanced playground of the past': [
    `/api/admin/playground/advanced?at=${revision}`,
    { environments: [environment], projects: '*', context },
  ],
  history: ['/api/admin/history?limit=100'],
  'search of events by text': ['/api/admin/search/events?query=zebra'],
  'preview with 10,000 users': [
    '/api/admin/preview',
    {
      ...{ project: 'default', environment, contexts: { madeUp: { count: 10_000 } } },
      changes: [{ action: 'updateEnabled', feature: 'flag-1', payload: { enabled: false } }],
    },
  ],
  export: ['/api/admin/features-batch/export', { environment }],
  'index of flags': ['/api/admin/flag-index'],
});

const cpuMsOf = async (service: Process, work: () => Promise<unknown>): Promise<number> => {
  const before = service.cpuS();
  await work();
  return (service.cpuS() - before) * 1_000;
};

let commits = 0;

/** A small commit, so that nothing that follows the state is up to date. */
async function commit({ service, features }: ChangedService, connection: Connection): Promise<void> {
  const { name } = features[++commits % features.length] as Feature;
  const path = `/api/admin/projects/default/features/${name}/environments/${environment}/${commits % 2 ? 'on' : 'off'}`;
  await ask(connection, requestBytes('POST', targetOf(service.url), path, headers, ''));
}

/** Processor time of the service after the caller has left in the middle of the request, beyond that of an idle service. */
async function abandonedFigures(changed: ChangedService): Promise<Figure[]> {
  const { service, connection, features, revision } = changed;
  const figures: Figure[] = [];
  const idle = () => cpuMsOf(service, () => pause(AFTER_MS));
  // Views that follow the changes of all flags are still being built.
  await idle();
  const idleMs = await idle();
  for (const [name, [path, sent]] of Object.entries(requestsAt(revision))) {
    const body = sent ? JSON.stringify(sent).replace('flag-1', features[0]?.name ?? '') : '';
    const request = requestBytes(sent ? 'POST' : 'GET', targetOf(service.url), path, headers, body);
    const whole = new Connection(targetOf(service.url));
    await ask(whole, request);
    const beganMs = performance.now();
    await ask(whole, request);
    const tookMs = performance.now() - beganMs;
    whole.close();
    await commit(changed, connection);
    const leaving = new Connection(targetOf(service.url));
    const left = leaving.ask(request).catch(() => undefined);
    await pause(tookMs / 2);
    leaving.close();
    const afterMs = (await cpuMsOf(service, () => pause(AFTER_MS))) - idleMs;
    await Promise.race([left, pause(0)]);
    const measured = { name: `${name}, abandoned: CPU afterwards`, ours: milliseconds(afterMs) };
    figures.push(atMost(AFTER_MS_MAX, { ...measured, floor: `of ${milliseconds(tookMs)}`, ratio: afterMs }));
  }
  return figures;
}

/** Processor time of a read of the past beside commits, without that of the commits, and of the same read without them. */
async function besideCommits(changed: ChangedService): Promise<Figure> {
  const { service, connection, revision } = changed;
  const target = targetOf(service.url);
  const read = requestBytes('GET', target, `/api/admin/projects/default/features?at=${revision}`, headers, '');
  const quietMs = await costMs(service, connection, read);
  let isOver = false;
  const write = async () => {
    const writer = new Connection(target);
    for (; !isOver; await pause(1_000 / COMMITS_PER_S)) await commit(changed, writer);
    writer.close();
  };
  const during = async (work: () => Promise<unknown>) => {
    isOver = false;
    const writing = write();
    await work();
    isOver = true;
    await writing;
  };
  const beganMs = performance.now();
  const bothMs = await cpuMsOf(service, () =>
    during(async () => {
      for (let count = 0; count < READS; count++) await ask(connection, read);
    }),
  );
  const tookMs = performance.now() - beganMs;
  const commitsMs = await cpuMsOf(service, () => during(() => pause(tookMs)));
  const besideMs = (bothMs - commitsMs) / READS;
  const measured = {
    name: `flags of the past, beside ${COMMITS_PER_S} commits a second`,
    ours: milliseconds(besideMs),
  };
  return atMost(TIMES_MAX, { ...measured, floor: milliseconds(quietMs), ratio: besideMs / quietMs });
}

/** What work costs whose caller has left, and what reads of the past cost beside commits. */
export function measureAbandoned(): Promise<Figure[]> {
  return withChangedService(async (changed) => [await besideCommits(changed), ...(await abandonedFigures(changed))]);
}
