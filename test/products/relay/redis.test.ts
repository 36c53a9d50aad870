import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../../bench/support/free-port.ts';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { CLIENT_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const UNREACHABLE = 'http://127.0.0.1:9';

let upstream: TestService;
let redis: RedisServer;
let directory: string;
const processes: BurgeeProcess[] = [];

beforeAll(async () => {
  upstream = await startTestService();
  redis = await RedisServer.start();
  directory = await mkdtemp(join(tmpdir(), 'burgee-relay-'));
  await upstream.call('createFeature', { params: { projectId: 'default' }, body: { name: 'shared' } });
});

afterAll(async () => {
  for (const each of processes) await each.stop();
  await redis.dispose();
  await upstream.close();
  await rm(directory, { recursive: true, force: true });
});

function relayOf(upstreamUrl: string, folder: string, port = 0): BurgeeProcess {
  const relay = new BurgeeProcess(
    {
      UPSTREAM_URL: upstreamUrl,
      TOKENS: CLIENT_TOKEN,
      HTTP_PORT: String(port),
      REDIS_URL: redis.url,
      DATA_DIR: join(directory, folder),
      LOCAL_COPY_EVERY_MS: '200',
    },
    [],
    ['relay'],
  );
  processes.push(relay);
  return relay;
}

async function names(url: string): Promise<string[]> {
  const headers = { authorization: CLIENT_TOKEN, 'unleash-client-spec': '5.2.0' };
  const answer = await fetch(`${url}/api/client/features`, { headers });
  const body = JSON.parse(await answer.text());
  return answer.status === 200 ? body.features.map(({ name }: { name: string }) => name) : [`status ${answer.status}`];
}

const isThere = (all: readonly string[]) => all.includes('shared');

it('relays on one Redis share the data that one of them received, and a relay without Redis serves its local copy', async () => {
  const first = await relayOf(upstream.url, 'first').url();
  await until(() => names(first), isThere);
  const second = relayOf(UNREACHABLE, 'second');
  expect(await until(async () => names(await second.url()), isThere)).toEqual(['shared']);
  await until(
    () =>
      stat(join(directory, 'second', 'replica.copy')).then(
        () => true,
        () => false,
      ),
    (isSaved) => isSaved,
  );
  await second.stop();
  await redis.kill();
  const port = await freePort();
  const alone = relayOf(UNREACHABLE, 'second', port);
  await alone.logged(/serving the local copy/);
  const url = `http://127.0.0.1:${port}`;
  await until(() => names(url).catch(() => []), isThere);
});
