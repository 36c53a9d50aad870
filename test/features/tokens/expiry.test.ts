import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loggerTo } from '../../../src/base/logger.ts';
import { warnOfTokenExpiry } from '../../../src/features/tokens/expiry/commands.ts';
import { warningDays } from '../../../src/features/tokens/expiry/expiry.ts';
import type { ApiToken } from '../../../src/model/api-token.ts';
import type { AuditEvent } from '../../../src/model/event.ts';
import { accepted, prepare } from '../../support/admin.ts';
import { ADDON_ENV, type Receiver, startReceiver, webhookTo } from '../../support/http/receiver.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { startTestRelay } from '../../support/relay.ts';
import { CLIENT_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.parse('2026-03-01T00:00:00.000Z');
const at = (days: number) => new Date(START_MS + days * DAY_MS).toISOString();

let clock: ManualClock;
let service: TestService;
let receiver: Receiver;
let lines: string[];

beforeEach(async () => {
  clock = new ManualClock(START_MS);
  lines = [];
  receiver = await startReceiver();
  const logger = loggerTo(
    'warn',
    (line) => lines.push(line),
    () => performance.now(),
  );
  service = await startTestService({ clock, logger, env: ADDON_ENV });
});

afterEach(async () => {
  await service.close();
  await receiver.close();
});

const SECRET = '*:development.a-secret-of-';

function token(tokenName: string, fields: Partial<ApiToken>): ApiToken {
  return {
    secret: SECRET + tokenName,
    tokenName,
    type: 'client',
    environment: 'development',
    projects: ['*'],
    createdAt: at(-100),
    expiresAt: null,
    seenAt: at(-1),
    alias: null,
    ...fields,
  };
}

const put = (...tokens: ApiToken[]) =>
  prepare(service, (draft) => {
    for (const one of tokens) draft.put('apiTokens', one);
  });

const warnings = async (of = service) =>
  ((await accepted(of, 'getEvents', { query: 'limit=100' })).body.events as AuditEvent[])
    .filter(({ type }) => type === 'api-token-expires-soon')
    .map(({ data }) => {
      const { tokenName, days } = data as { tokenName: string; days: number };
      return `${tokenName} ${days}`;
    })
    .sort();

const expiring = async () =>
  ((await accepted(service, 'getExpiringApiTokens')).body.tokens as { tokenName: string; days: number }[])
    .map(({ tokenName, days }) => `${tokenName} ${days}`)
    .sort();

const gauges = async (url = service.url) =>
  (await (await fetch(`${url}/internal-backstage/prometheus`)).text())
    .split('\n')
    .filter((line) => line.startsWith('burgee_api_token'));

/** Lets the time pass, and waits until the search that follows has recorded a token that expires soon, too: then it has recorded the others. */
async function search(hours = 1): Promise<void> {
  const name = `sign-${hours}-${clock.nowMs()}`;
  const createdAt = new Date(clock.nowMs() - 50 * DAY_MS).toISOString();
  const expiresAt = new Date(clock.nowMs() + (hours + 5 * 24) * HOUR_MS).toISOString();
  await put(token(name, { createdAt, expiresAt, environment: 'production' }));
  clock.advance(hours * HOUR_MS);
  await until(
    async () => {
      // The service may have been busy when the time passed.
      clock.advance(HOUR_MS / 1_000);
      return (await warnings()).includes(`${name} 7`);
    },
    (isFound) => isFound,
  );
  await accepted(service, 'deleteApiToken', { params: { token: SECRET + name } });
}

const notSigns = (names: readonly string[]) => names.filter((name) => !name.startsWith('sign-'));

describe('A token in use that expires', () => {
  it('is recorded once seven days and once one day before, and sent to a webhook as often', async () => {
    const body = webhookTo(receiver.url, { events: ['api-token-expires-soon'] });
    await accepted(service, 'createAddon', { body });
    await put(token('later', { expiresAt: at(20) }), token('soon', { expiresAt: at(6) }));
    await search();
    await search();
    expect(notSigns(await warnings())).toEqual(['soon 7']);
    await search(5.5 * 24);
    await search();
    expect(notSigns(await warnings())).toEqual(['soon 1', 'soon 7']);
    await search(2 * 24);
    expect(notSigns(await warnings())).toEqual(['soon 1', 'soon 7']);
    const sent = await until(
      () => receiver.received.map(({ body: text }) => JSON.parse(text)).filter(({ data }) => data.tokenName === 'soon'),
      ({ length }) => length >= 2,
    );
    expect(sent.map(({ data }) => data.days)).toEqual([7, 1]);
    expect(sent[0]).toMatchObject({ type: 'api-token-expires-soon', createdBy: 'burgee', environment: 'development' });
    expect(JSON.stringify(receiver.received)).not.toContain('a-secret-of');
  });

  it('is in the list, in the metrics and once a day in the log, without its secret, until it is renewed', async () => {
    await put(token('soon', { expiresAt: at(6) }), token('sooner', { expiresAt: at(0.9) }));
    await search();
    expect(await expiring()).toEqual(['soon 7', 'sooner 1']);
    const list = await accepted(service, 'getExpiringApiTokens');
    expect(list.text).not.toContain('a-secret-of');
    expect(await gauges()).toEqual([
      'burgee_api_tokens_expiring{days="7"} 2',
      'burgee_api_tokens_expiring{days="1"} 1',
      `burgee_api_token_first_expiry_timestamp_seconds{environment="development"} ${Date.parse(at(0.9)) / 1_000}`,
    ]);
    const logged = () => lines.filter((line) => line.includes('expire soon'));
    await search();
    expect(logged()).toHaveLength(1);
    expect(logged()[0]).toContain('"name":"sooner"');
    expect(lines.join('')).not.toContain('a-secret-of');
    await accepted(service, 'updateApiToken', { params: { token: `${SECRET}sooner` }, body: { expiresAt: at(90) } });
    expect(await expiring()).toEqual(['soon 7']);
    await search(24);
    expect(logged()).toHaveLength(2);
    expect(notSigns(await expiring())).toEqual(['soon 7']);
    expect(notSigns(await warnings())).toEqual(['soon 7', 'sooner 1']);
  });

  it('is warned of again if its new expiry time is near', async () => {
    await put(token('soon', { expiresAt: at(6) }));
    await search();
    await accepted(service, 'updateApiToken', { params: { token: `${SECRET}soon` }, body: { expiresAt: at(7) } });
    await search();
    expect(notSigns(await warnings())).toEqual(['soon 7', 'soon 7']);
  });

  it('is not shown to a caller who may not read tokens', async () => {
    for (const credential of [CLIENT_TOKEN, null]) {
      const answer = await service.call('getExpiringApiTokens', { token: credential });
      expect([401, 403]).toContain(answer.status);
    }
  });
});

it('Nothing is recorded for tokens that were never used, have expired, never expire, or were made for a short time', async () => {
  await put(
    token('unused', { expiresAt: at(3), seenAt: null }),
    token('over', { expiresAt: at(-0.1) }),
    token('endless', {}),
    token('short', { createdAt: at(0), expiresAt: at(0.9) }),
    token('week', { createdAt: at(0), expiresAt: at(6) }),
  );
  await search();
  expect(notSigns(await warnings())).toEqual([]);
  expect(await expiring()).toEqual([]);
  expect(await gauges()).toEqual(['burgee_api_tokens_expiring{days="7"} 0', 'burgee_api_tokens_expiring{days="1"} 0']);
  expect(warningDays(token('week', { createdAt: at(0), expiresAt: at(6) }), START_MS + 5.5 * DAY_MS)).toBe(1);
});

it('More tokens than one commit records are recorded once each', async () => {
  await put(...Array.from({ length: 250 }, (_, index) => token(`many-${index}`, { expiresAt: at(5) })));
  await search();
  await search();
  const marked = [...service.running.services.state.values('apiTokens')].filter(({ expiryWarning }) => expiryWarning);
  expect(marked).toHaveLength(250);
});

it('A replica that is late records nothing: only the first command for a token has an event', async () => {
  await put(token('soon', { expiresAt: at(6) }));
  const { writer } = service.running.services;
  const secrets = [`${SECRET}soon`];
  for (let replica = 0; replica < 2; replica++)
    await writer.submit(warnOfTokenExpiry, { secrets }, { id: -1337, name: 'burgee' });
  expect(await warnings()).toEqual(['soon 7']);
});

it('A relay has no such metrics, because its source warns', async () => {
  const relay = await startTestRelay(service.url, { tokens: [CLIENT_TOKEN] });
  expect((await gauges(relay.url)).filter((line) => line.includes('{'))).toEqual([]);
  await relay.close();
});
