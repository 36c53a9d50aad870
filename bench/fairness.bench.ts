import { performance } from 'node:perf_hooks';
import { makeFlags } from './support/flags.ts';
import { load } from './support/load.ts';
import { atMost, finish, inform, milliseconds, percentile, settings } from './support/report.ts';
import { ADMIN_TOKEN, FRONTEND_TOKEN, startSeededService } from './support/service.ts';

/**
 * How one token affects another: many connections with the first token ask for all flags all the time; one connection with the second token asks for one
 * flag. The floor is `/health`, requested alternately with that flag: it waits for nothing but the process.
 * BENCH_FLAGS (100,000), BENCH_CONNECTIONS (100), BENCH_SECONDS (15).
 */
const { FLAGS, CONNECTIONS, SECONDS } = settings({ FLAGS: 100_000, CONNECTIONS: 100, SECONDS: 15 });
const P95_MS = 20;
const PAUSE_MS = 5;

const flags = makeFlags(FLAGS, { seed: FLAGS });
const service = await startSeededService(flags, { snapshot: true });

async function secondToken(): Promise<string> {
  const answer = await fetch(`${service.url}/api/admin/api-tokens`, {
    method: 'POST',
    headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify({ tokenName: 'other', type: 'frontend', environment: 'development', projects: ['*'] }),
  });
  if (answer.status !== 201) throw new Error(`no token: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { secret: string }).secret;
}

/** Milliseconds from a request to the end of its answer. */
async function timed(url: string, init?: RequestInit): Promise<number> {
  const beforeMs = performance.now();
  const answer = await fetch(url, init);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
  return performance.now() - beforeMs;
}

async function measure(greedyPath: string, body?: string) {
  const { name = '' } = flags[Math.floor(FLAGS / 2)] ?? {};
  const init = { method: 'POST', headers: { authorization: other, 'content-type': 'application/json' }, body: '{}' };
  const one = `${service.url}/ofrep/v1/evaluate/flags/${name}`;
  const headers = { authorization: FRONTEND_TOKEN, 'content-type': 'application/json' };
  const options = { url: service.url + greedyPath, headers, connections: CONNECTIONS, durationS: SECONDS };
  const greedy = load(body === undefined ? options : { ...options, body });
  let isOver = false;
  const over = greedy.finally(() => {
    isOver = true;
  });
  const [ours, floor]: [number[], number[]] = [[], []];
  // The first second is the warm-up of the greedy connections.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  while (!isOver) {
    ours.push(await timed(one, init));
    floor.push(await timed(`${service.url}/health`));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  const { requestsPerS, errors } = await over;
  const p95Ms = percentile(ours, 0.95);
  const what = `one flag beside ${CONNECTIONS} connections of ${greedyPath}`;
  const text = `${what}: these got ${requestsPerS.toFixed(0)}/s, ${errors} refused`;
  return [
    inform(text, `p50 ${milliseconds(percentile(ours, 0.5))}`),
    atMost(1, {
      name: `${what}, p95 of ${P95_MS} ms`,
      ours: milliseconds(p95Ms),
      floor: `/health ${milliseconds(percentile(floor, 0.95))}`,
      ratio: p95Ms / P95_MS,
    }),
  ];
}

const other = await secondToken();
try {
  // The flags are compiled before the measurement.
  await timed(`${service.url}/api/frontend`, { headers: { authorization: FRONTEND_TOKEN } });
  const figures = [
    ...(await measure('/api/frontend')),
    ...(await measure('/ofrep/v1/evaluate/flags', '{"context":{}}')),
  ];
  finish(`A fair share a token, ${FLAGS.toLocaleString('en')} flags`, figures);
} finally {
  await service.end();
}
