import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import { Flags } from '../../support/flags.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { FRONTEND_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** More than one token may have waiting, and fewer than all. */
const REQUESTS = 300;
const EACH_MAX = 250;

let redis: RedisServer;
let service: TestService;

beforeAll(async () => {
  redis = await RedisServer.start();
  const store = new RedisStore({ url: redis.url, logger: silentLogger, clock: systemClock });
  service = await startTestService({ store, env: { MIN_REVISION_WAIT_MS: '20000' } });
  await service.running.started;
});

afterAll(async () => {
  await service?.close();
  await redis?.dispose();
});

const all = (flagConfigEtag = '') =>
  service.call('ofrepEvaluateFlags', {
    body: { context: {} },
    query: flagConfigEtag === '' ? '' : `flagConfigEtag=${flagConfigEtag}`,
    token: FRONTEND_TOKEN,
  });

it('a page that asks for flags to come has a quota of waits, and gets the newest flags when they do not come', async () => {
  const flag = await new Flags(service).create();
  const { body } = await all();
  const uri = new URL(body.eventStreams[0].endpoint.requestUri, service.url);
  const [, rest] = /^\d+(-.*)$/.exec(uri.searchParams.get('from') ?? '') ?? [];
  let ended = 0;
  const answers = Array.from({ length: REQUESTS }, async () => {
    const answer = await all(`999999999${rest}`);
    ended += 1;
    return answer;
  });
  const waits = service.running.services.revisionWaits;
  // Those above the quota are answered while the others wait.
  await until(
    () => [ended, waits?.count],
    ([answered, waiting]) => answered === REQUESTS - EACH_MAX && waiting === EACH_MAX,
  );
  // As when their time is over.
  service.running.services.replica.waiters.close();
  for (const answer of await Promise.all(answers)) {
    expect(answer.status).toBe(200);
    expect(answer.body.flags.map(({ key }: { readonly key: string }) => key)).toEqual([flag]);
  }
  expect(waits?.count).toBe(0);
}, 60_000);
