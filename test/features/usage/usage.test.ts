import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeCommit } from '../../../src/state/commit.ts';
import { MemoryBacking, type MemoryFaults, MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { accepted, prepare } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  ADMIN_TOKEN,
  CLIENT_TOKEN,
  FRONTEND_TOKEN,
  startTestService,
  type TestService,
} from '../../support/service.ts';

const GATHER_MS = 30_000;

let backing: MemoryBacking;
let faults: MemoryFaults;
let clock: ManualClock;
let service: TestService;

async function start(): Promise<void> {
  service = await startTestService({ clock, store: new MemoryStore({ backing, faults }) });
}

beforeEach(async () => {
  backing = new MemoryBacking();
  faults = {};
  clock = new ManualClock();
  await start();
});

afterEach(() => service.close());

const seenAt = (token: string) => service.running.services.state.get('apiTokens', token)?.seenAt;
const poll = (token = CLIENT_TOKEN) => accepted(service, 'getAllClientFeatures', { token });
const now = () => new Date(clock.nowMs()).toISOString();

/** Lets the gathering interval pass, and the work that it starts finish. */
async function gather(): Promise<void> {
  clock.advance(GATHER_MS);
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('the last use of tokens', () => {
  it('is written once in each interval for any number of requests, and only for used tokens', async () => {
    const { tip } = backing;
    for (let count = 0; count < 20; count++) await poll();
    expect(backing.tip).toBe(tip);
    await gather();
    expect(backing.tip).toBe(tip + 1);
    expect(seenAt(CLIENT_TOKEN)).toBe(now());
    expect(seenAt(FRONTEND_TOKEN)).toBeNull();
    expect(decodeCommit(backing.log.at(-1)?.bytes ?? new Uint8Array()).events.count).toBe(0);
    await gather();
    expect(backing.tip).toBe(tip + 1);
  });

  it('is returned by the admin API', async () => {
    await poll();
    await gather();
    const { body } = await accepted(service, 'getAllApiTokens');
    const found = body.tokens.find(({ secret }: { secret: string }) => secret === CLIENT_TOKEN);
    expect(found.seenAt).toBe(now());
  });

  it('of a token that is used all day is written again every five minutes only', async () => {
    const { tip } = backing;
    for (let round = 0; round < 30; round++) {
      await poll();
      await gather();
    }
    expect(backing.tip - tip).toBe(3);
  });

  it('is written at a stop, and present after the next start', async () => {
    await poll();
    await gather();
    const first = seenAt(CLIENT_TOKEN);
    clock.advance(1000);
    await poll();
    await service.close();
    await start();
    expect(seenAt(CLIENT_TOKEN)).toBe(now());
    expect(seenAt(CLIENT_TOKEN)).not.toBe(first);
    expect(seenAt(ADMIN_TOKEN)).toBeNull();
  });

  it('is kept while the store cannot be written to, and written when it can', async () => {
    faults.beforeAppend = () => {
      throw new StoreError('away', 'not-appended');
    };
    await poll();
    await gather();
    const used = now();
    await gather();
    expect(seenAt(CLIENT_TOKEN)).toBeNull();
    faults.beforeAppend = undefined;
    await gather();
    expect(seenAt(CLIENT_TOKEN)).toBe(used);
  });

  it('of many tokens is written in commits of a bounded size', async () => {
    const secrets = Array.from({ length: 600 }, (_, index) => `*:development.many-${index}`);
    const at = now();
    await prepare(service, (draft) => {
      for (const [index, secret] of secrets.entries()) {
        const scope = { type: 'client' as const, environment: 'development', projects: ['*'] };
        const times = { createdAt: at, expiresAt: null, seenAt: null };
        draft.put('apiTokens', { secret, tokenName: `many-${index}`, ...scope, ...times, alias: null });
      }
    });
    const { tokens } = service.running.services;
    for (const secret of secrets) expect(tokens.find(secret)).toBeDefined();
    const { tip } = backing;
    await gather();
    expect(secrets.map(seenAt)).toEqual(secrets.map(() => now()));
    const sizes = backing.log.slice(tip).map(({ bytes }) => decodeCommit(bytes).changes.length);
    expect(sizes).toEqual([256, 256, 88]);
  });

  it('of tokens that were deleted meanwhile is not written', async () => {
    const body = { type: 'client', tokenName: 'short-lived' };
    const { secret } = (await accepted(service, 'createApiToken', { body })).body;
    await poll(secret);
    await accepted(service, 'deleteApiToken', { params: { token: secret } });
    await gather();
    expect(service.running.services.state.get('apiTokens', secret)).toBeUndefined();
    expect(seenAt(ADMIN_TOKEN)).toBe(now());
  });
});
