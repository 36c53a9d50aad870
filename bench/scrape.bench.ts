import { performance } from 'node:perf_hooks';
import { makeFlags } from './support/flags.ts';
import { aside, finish, machine, median, milliseconds, setting } from './support/report.ts';
import { CLIENT_TOKEN, startSeededService } from './support/service.ts';

/**
 * What a scrape costs in processor time of the service and in bytes: when little was reported, and when every limit is reached (2,000 names of flags and
 * SDKs each, 10,000 lines of impact metrics). Flags: BENCH_FLAGS, scrapes: BENCH_ROUNDS.
 */
const FLAGS = setting('BENCH_FLAGS', 500);
const ROUNDS = setting('BENCH_ROUNDS', 20);
const HEADERS = { authorization: CLIENT_TOKEN, 'content-type': 'application/json' };

const flags = makeFlags(FLAGS, { seed: FLAGS });
const service = await startSeededService(flags);

async function post(path: string, body: unknown): Promise<void> {
  const answer = await fetch(service.url + path, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
  if (answer.status !== 202) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

async function scrape(): Promise<string> {
  return await (await fetch(`${service.url}/internal-backstage/prometheus`)).text();
}

/** Measures scrapes and the processor time of the service for each, including the request itself. */
async function measure(name: string) {
  let page = await scrape();
  const cpuMs: number[] = [];
  const tookMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [beforeS, beforeMs] = [service.cpuS(), performance.now()];
    page = await scrape();
    tookMs.push(performance.now() - beforeMs);
    cpuMs.push((service.cpuS() - beforeS) * 1_000);
  }
  const lines = page.split('\n').length - 1;
  const mean = cpuMs.reduce((sum, ms) => sum + ms, 0) / ROUNDS;
  const size = `${lines.toLocaleString('en')} lines, ${page.length.toLocaleString('en')} B`;
  return [
    aside({ name: `${name} (${size}), CPU`, ours: milliseconds(mean), floor: '', ratio: null }),
    aside({ name: `${name}, until it is there`, ours: milliseconds(median(tookMs)), floor: '', ratio: null }),
  ];
}

try {
  const figures = await measure('scrape, little was reported');
  for (let part = 0; part < 4; part++) {
    const toggles = Object.fromEntries(flags.map(({ name }) => [name, { yes: 1, no: 1 }]));
    const bucket = { start: Date.now() - 1, stop: Date.now(), toggles };
    await post('/api/client/metrics', { appName: `app-${part}`, instanceId: 'one', bucket });
  }
  for (let sdk = 0; sdk < 2_100; sdk++)
    await post('/api/client/register', { appName: 'app-0', sdkVersion: `sdk-${sdk}:1.0.0`, strategies: [] });
  for (let part = 0; part < 6; part++) {
    const samples = Array.from({ length: 2_000 }, (_, at) => ({ value: 1, labels: { at, country: 'de' } }));
    const impactMetrics = [{ name: `measured_${part}`, help: 'x', type: 'counter', samples }];
    await post('/api/client/metrics', { appName: 'app-0', bucket: null, impactMetrics });
  }
  figures.push(...(await measure('scrape, everything is full')));
  finish(`A scrape (${machine()})`, figures);
} finally {
  await service.end();
}
