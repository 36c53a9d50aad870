import { startRedis } from './support/redis-server.ts';
import { type ReplicaProcess, seedRedis, startReplica } from './support/replicas.ts';
import { machine, percentile, setting } from './support/report.ts';
import { ADMIN_TOKEN } from './support/service.ts';

/**
 * How long a revoked credential still works on three replicas of one Redis: from the answer to the revocation on one replica until the last replica refuses
 * the credential. All replicas are asked all the time. The aim is within one second. BENCH_ROUNDS (50).
 */
const ROUNDS = setting('BENCH_ROUNDS', 50);
const PASSWORD = 'Correct-Horse-9';
const EXPIRY = '2090-01-01T00:00:00.000Z';
const AIM_MS = 1_000;

type Headers = Readonly<Record<string, string>>;
const ADMIN: Headers = { authorization: ADMIN_TOKEN };

async function call({ url }: ReplicaProcess, method: string, path: string, headers: Headers, body?: unknown) {
  const answer = await fetch(url + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text };
}

async function made(replica: ReplicaProcess, path: string, headers: Headers, body: unknown) {
  const answer = await call(replica, 'POST', path, headers, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return { ...answer, json: answer.text === '' ? undefined : JSON.parse(answer.text) };
}

const isLetIn = async (replica: ReplicaProcess, headers: Headers) =>
  (await call(replica, 'GET', '/api/admin/user', headers)).status === 200;

/** Milliseconds until no replica accepts these headers any more. */
async function time(replicas: readonly ReplicaProcess[], headers: Headers, take: () => Promise<{ status: number }>) {
  for (const replica of replicas) while (!(await isLetIn(replica, headers)));
  const { status } = await take();
  const takenMs = performance.now();
  if (status !== 200) throw new Error(`the revocation was answered ${status}`);
  await Promise.all(
    replicas.map(async (replica) => {
      while (await isLetIn(replica, headers));
    }),
  );
  return performance.now() - takenMs;
}

async function round(replicas: readonly ReplicaProcess[], number: number): Promise<Record<string, number>> {
  const [first, second, third] = replicas;
  if (!first || !second || !third) throw new Error('three replicas are needed');
  const email = `user-${number}@example.org`;
  const { json: user } = await made(first, '/api/admin/user-admin', ADMIN, { email, rootRole: 3, password: PASSWORD });
  const { headers } = await made(first, '/auth/simple/login', {}, { email, password: PASSWORD });
  const session = { cookie: headers.get('set-cookie')?.split(';')[0] ?? '', 'sec-fetch-site': 'same-origin' };
  const token = async (description: string) =>
    (await made(first, '/api/admin/user/tokens', session, { description, expiresAt: EXPIRY })).json;
  const [pat, kept] = [await token('one'), await token('two')];
  return {
    'a personal token that was deleted': await time(replicas, { authorization: pat.secret }, () =>
      call(first, 'DELETE', `/api/admin/user/tokens/${pat.id}`, session),
    ),
    'a session that was ended': await time(replicas, session, () => call(first, 'POST', '/logout', session)),
    'a user who was deleted': await time(replicas, { authorization: kept.secret }, () =>
      call(second, 'DELETE', `/api/admin/user-admin/${user.id}`, ADMIN),
    ),
  };
}

const redis = await startRedis();
const replicas: ReplicaProcess[] = [];
try {
  await seedRedis(redis.url, []);
  for (let count = 0; count < 3; count++) replicas.push(await startReplica(redis.url));
  const taken = new Map<string, number[]>();
  for (let number = 0; number < ROUNDS; number++) {
    for (const [what, ms] of Object.entries(await round(replicas, number))) {
      taken.set(what, [...(taken.get(what) ?? []), ms]);
    }
  }
  process.stdout.write(`${machine()}\n`);
  const longest = Math.max(...[...taken.values()].flat());
  for (const [what, times] of taken) {
    const [p50, max] = [percentile(times, 0.5), Math.max(...times)];
    process.stdout.write(`${what}: p50 ${p50.toFixed(1)} ms, max ${max.toFixed(1)} ms (${times.length} rounds)\n`);
  }
  process.stdout.write(`${longest <= AIM_MS ? 'within' : 'NOT within'} a second on three replicas\n`);
} finally {
  await Promise.all(replicas.map((replica) => replica.end()));
  await redis.end();
}
