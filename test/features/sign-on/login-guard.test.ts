import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { Rejection } from '../../../src/base/rejection.ts';
import { LOGIN_LIMITS, LoginGuard, WRONG_PASSWORDS } from '../../../src/features/sign-on/login-guard.ts';
import { CounterRecorder } from '../../../src/features/usage/counter-recorder.ts';
import { MemoryBacking, MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const OWNER = 'owner@example.org';
const ELSEWHERE = '198.51.100.1';

let store: MemoryStore;
let recorder: CounterRecorder;
let guard: LoginGuard;

beforeEach(async () => {
  const clock = new ManualClock();
  store = new MemoryStore({ backing: new MemoryBacking() });
  await store.open();
  recorder = new CounterRecorder(store.counters, clock, silentLogger, { recorder: 'first' });
  guard = new LoginGuard(store.counters, recorder, clock, silentLogger);
});

afterEach(async () => {
  await recorder.close();
  await store.close();
});

/** Returns whether a wrong password was checked. */
async function wrong(account: string, address: string): Promise<boolean> {
  const attempt = await guard.admit(account, address, undefined);
  if (attempt instanceof Rejection) return false;
  attempt.wrong(undefined);
  return true;
}

async function looked(times: number, between: (time: number) => Promise<void> = async () => {}): Promise<boolean[]> {
  const results: boolean[] = [];
  for (let time = 0; time < times; time++) {
    results.push(await wrong(OWNER, '203.0.113.1'));
    await between(time);
  }
  return results;
}

const THROTTLED = [...Array<boolean>(LOGIN_LIMITS.ofPair).fill(true), false];

/** An address in the /64 network with this number; each is in another /48 network. */
const network = (index: number) => `2001:db8:${index.toString(16)}:${index.toString(16)}::1`;

/** Sends wrong passwords, each for another account and from another network. */
async function flood(count: number, from = 0): Promise<void> {
  for (let index = from; index < from + count; index++) await wrong(`nobody-${index}`, network(index));
}

describe('requests without a password', () => {
  it('do not displace the counts of logins, however many there are, and write nothing to the store', async () => {
    for (let index = 0; index < WRONG_PASSWORDS.namesMax; index++) guard.refuseReset(network(index));
    expect(recorder.risk.waitingNames).toBe(0);
    expect(await looked(LOGIN_LIMITS.ofPair + 1)).toEqual(THROTTLED);
  });

  it('are counted by the /48 network of IPv6, because one caller may have many /64 networks', () => {
    const refusals = Array.from({ length: LOGIN_LIMITS.resets + 1 }, (_, index) =>
      guard.refuseReset(`2001:db8:1:${index}::1`),
    );
    expect(refusals.map((refusal) => refusal?.name)).toEqual([
      ...Array(LOGIN_LIMITS.resets).fill(undefined),
      'TooManyRequestsError',
    ]);
    expect(guard.refuseReset('2001:db8:2:1::1')).toBeUndefined();
    expect(guard.refuseReset(ELSEWHERE)).toBeUndefined();
  });
});

describe('more names than are kept', () => {
  it('neither disable throttling nor lock a user out', async () => {
    await flood(WRONG_PASSWORDS.namesMax / 3 + 1);
    expect(await looked(LOGIN_LIMITS.ofPair + 1)).toEqual(THROTTLED);
    expect(await wrong(OWNER, ELSEWHERE)).toBe(true);
  });

  it('do not hide an account that is tried repeatedly between them', async () => {
    await flood(WRONG_PASSWORDS.namesMax / 3 + 1);
    const tries = await looked(LOGIN_LIMITS.ofPair + 1, (time) => flood(500, 10_000 + time * 500));
    expect(tries).toEqual(THROTTLED);
  });

  it('do not include attempts that were withdrawn', async () => {
    for (let time = 0; time < 2 * LOGIN_LIMITS.ofPair; time++) {
      const attempt = await guard.admit(OWNER, ELSEWHERE, undefined);
      expect(attempt).not.toBeInstanceOf(Rejection);
      if (!(attempt instanceof Rejection)) attempt.forget();
    }
  });
});
