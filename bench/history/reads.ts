import { endpoints } from '../../src/features/registry.ts';
import { REVISION_HEADER } from '../../src/http/answer.ts';
import type { Feature } from '../../src/model/feature.ts';
import { headerOf } from '../support/answer-parser.ts';
import { Connection, requestBytes, targetOf } from '../support/connection.ts';
import { makeFlags } from '../support/flags.ts';
import { atMost, type Figure, inform, milliseconds, settings } from '../support/report.ts';
import { ADMIN_TOKEN, type Process, startSeededService } from '../support/service.ts';

/** BENCH_READ_FLAGS (5,000), BENCH_READS a round (10): least of three rounds. */
const { READ_FLAGS: FLAGS, READS } = settings({ READ_FLAGS: 5_000, READS: 10 });
const ROUNDS = 3;
const BATCH = 100;
/** Moments that are read once. The first one is not measured. */
const MOMENTS = 11;
/** What a read of the past may cost: so many times the same read now, and so much more. */
const [TIMES_MAX, MORE_MS_MAX] = [3, 20];

const environment = 'development';
const context = { appName: 'bench', userId: '7' };
const BODIES: Readonly<Record<string, object>> = {
  getPlayground: { environment, projects: '*', context },
  getAdvancedPlayground: { environments: [environment], projects: '*', context },
};

interface Read {
  readonly name: string;
  readonly now: Buffer;
  readonly past: Buffer;
}

const headers = { authorization: ADMIN_TOKEN, 'content-type': 'application/json' };

/** Every read that takes `at`. */
function readsOf(service: Process, params: Readonly<Record<string, string>>, revision: number): Read[] {
  const target = targetOf(service.url);
  return endpoints.flatMap((endpoint) => {
    const { operationId, method, path, query } = endpoint;
    if (endpoint.kind !== 'handled' || !query || !('at' in query.properties)) return [];
    const filled = path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
    const body = BODIES[operationId];
    const request = (search: string) =>
      requestBytes(method.toUpperCase(), target, filled + search, headers, body ? JSON.stringify(body) : '');
    return [{ name: operationId, now: request(''), past: request(`?at=${revision}`) }];
  });
}

async function ask(connection: Connection, request: Buffer): Promise<string> {
  const { status, head } = await connection.ask(request);
  if (status !== 200)
    throw new Error(`${request.subarray(0, request.indexOf('\r')).toString()} was answered ${status}`);
  return head;
}

/** Switches every flag off and on, and returns the revision before. */
async function changeAll(connection: Connection, service: Process, names: readonly string[]): Promise<number> {
  const target = targetOf(service.url);
  const path = `/api/admin/projects/default/bulk_features/environments/${environment}`;
  let before: number | undefined;
  for (const position of ['off', 'on']) {
    for (let start = 0; start < names.length; start += BATCH) {
      const body = JSON.stringify({ features: names.slice(start, start + BATCH) });
      const head = await ask(connection, requestBytes('POST', target, `${path}/${position}`, headers, body));
      before ??= Number(headerOf(head, REVISION_HEADER)) - 1;
    }
  }
  return before ?? 0;
}

/** Processor time of one read, the least of the rounds. */
async function costMs(service: Process, connection: Connection, request: Buffer): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  await ask(connection, request);
  for (let round = 0; round < ROUNDS; round++) {
    const before = service.cpuS();
    for (let read = 0; read < READS; read++) await ask(connection, request);
    least = Math.min(least, ((service.cpuS() - before) * 1000) / READS);
  }
  return least;
}

/** A service all of whose flags have changed, and the revision before these changes. */
interface ChangedService {
  readonly service: Process;
  readonly connection: Connection;
  readonly features: readonly Feature[];
  readonly revision: number;
}

async function withChangedService<T>(measure: (changed: ChangedService) => Promise<T>): Promise<T> {
  const features = makeFlags(FLAGS, { seed: 5 });
  const service = await startSeededService(features);
  const connection = new Connection(targetOf(service.url));
  try {
    const names = features.map(({ name }) => name);
    const revision = await changeAll(connection, service, names);
    return await measure({ service, connection, features, revision });
  } finally {
    connection.close();
    await service.end();
  }
}

/** What each read of the past costs after every flag has changed, compared with the same read now. */
export function measureReads(): Promise<Figure[]> {
  return withChangedService(async ({ service, connection, features, revision }) => {
    const [feature] = features.filter(({ environments }) => (environments[0]?.strategies.length ?? 0) > 0);
    const strategyId = feature?.environments[0]?.strategies[0]?.id ?? '';
    const params = {
      projectId: 'default',
      featureName: feature?.name ?? '',
      environment,
      name: environment,
      strategyId,
    };
    const figures: Figure[] = [];
    const wanted = { ...params, id: '1' };
    const reads = readsOf(service, wanted, revision);
    // Every moment between two batches is read only once.
    let firstMs = 0;
    for (let moment = 1; moment <= MOMENTS; moment++) {
      const read = readsOf(service, wanted, revision + moment).find(({ name }) => name === 'getAllEnvironments');
      const before = service.cpuS();
      if (read) await ask(connection, read.past);
      if (moment > 1) firstMs += ((service.cpuS() - before) * 1000) / (MOMENTS - 1);
    }
    figures.push(inform('the first read of a moment', milliseconds(firstMs)));
    for (const { name, now, past } of reads) {
      const nowMs = await costMs(service, connection, now);
      const pastMs = await costMs(service, connection, past);
      const measured = { name: `${name}, past vs now`, ours: milliseconds(pastMs), floor: milliseconds(nowMs) };
      const figure = atMost(1, { ...measured, ratio: pastMs / (TIMES_MAX * nowMs + MORE_MS_MAX) });
      figures.push({
        ...figure,
        aim: `≤ ${TIMES_MAX} × now + ${MORE_MS_MAX} ms`,
        ratio: pastMs / Math.max(nowMs, 0.1),
      });
    }
    return figures;
  });
}
