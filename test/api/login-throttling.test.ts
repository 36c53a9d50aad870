import { afterEach, describe, expect, it } from 'vitest';
import { LOGIN_LIMITS } from '../../src/features/sign-on/login-guard.ts';
import { Passwords } from '../../src/features/sign-on/passwords/hashing.ts';
import { MemoryBacking, MemoryStore } from '../../src/stores/memory/memory-store.ts';
import { accepted, prepare } from '../support/admin.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { PASSWORD, putUser } from '../support/people.ts';
import { filesWith } from '../support/raw-bytes.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../support/service.ts';

const services: TestService[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

async function start(options: TestServiceOptions = {}): Promise<TestService> {
  const env = { TRUST_PROXY: 'loopback', ...options.env };
  const service = await startTestService({ ...options, env });
  services.push(service);
  return service;
}

const OWNER = 'user-1@example.org';

/** Tries a password from an address. */
const attempt = (service: TestService, email: string, password: string, address = '203.0.113.1') =>
  service.call('login', { body: { email, password }, headers: { 'x-forwarded-for': address } });

/** The same for a name that nobody has, which costs the work of a password: so few of them are right for tests. */
async function statuses(tries: Promise<{ status: number }>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(tries)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('wrong passwords', () => {
  it('are throttled, a thousand at once as well: no more are looked at than one after the other would be', async () => {
    const service = await start();
    await putUser(service, 1);
    const { passwords } = service.running.services;
    const before = passwords.derivations;
    const tries = Array.from({ length: 1_000 }, () => attempt(service, OWNER, 'Wrong-Horse-9'));
    expect(await statuses(tries)).toEqual({ 401: LOGIN_LIMITS.ofPair, 429: 1_000 - LOGIN_LIMITS.ofPair });
    expect(passwords.derivations - before).toBe(LOGIN_LIMITS.ofPair);
    const { status, headers, body } = await attempt(service, OWNER, PASSWORD);
    expect([status, body.name]).toEqual([429, 'TooManyRequestsError']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(600);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(900);
  });

  it('for a user there is not are throttled the same, with the same words', async () => {
    const clock = new ManualClock();
    const service = await start({ clock });
    await putUser(service, 1);
    const told: string[] = [];
    for (const email of [OWNER, 'nobody@example.org']) {
      const answers: unknown[] = [];
      for (let count = 0; count <= LOGIN_LIMITS.ofPair; count++) {
        const { status, body, headers } = await attempt(service, email, 'Wrong-Horse-9');
        answers.push([status, { ...body, id: '' }, headers.get('retry-after')]);
      }
      told.push(JSON.stringify(answers));
    }
    expect(told[0]).toBe(told[1]);
    expect(told[0]).toContain('[429,');
  });

  it('of one account count together, whichever of its names they were for, and nothing shows that both are its', async () => {
    const service = await start({ clock: new ManualClock() });
    await putUser(service, 1, { username: 'owner' });
    const { passwords } = service.running.services;
    const byName = (name: string, password: string, address = '203.0.113.1') =>
      service.call('login', { body: { username: name, password }, headers: { 'x-forwarded-for': address } });
    for (let count = 0; count < LOGIN_LIMITS.ofPair; count++) await byName('owner', 'Wrong-Horse-9');
    const before = passwords.derivations;
    const answers = [];
    for (let count = 0; count <= LOGIN_LIMITS.ofPair; count++) answers.push(await byName(OWNER, PASSWORD));
    // As to the wrong passwords of an unknown name: the right one opens nothing, and costs the same work.
    expect(answers.map(({ status }) => status)).toEqual([...Array(LOGIN_LIMITS.ofPair).fill(401), 429]);
    expect(passwords.derivations - before).toBe(LOGIN_LIMITS.ofPair);
    expect((await byName(OWNER, PASSWORD, '198.51.100.1')).status).toBe(200);
  });

  it('of an attacker lock nobody out who signs on from elsewhere, however many there were', async () => {
    const service = await start({ clock: new ManualClock() });
    await putUser(service, 1);
    for (let count = 0; count < 60; count++)
      await attempt(service, OWNER, 'Wrong-Horse-9', `203.0.113.${Math.floor(count / 10)}`);
    expect((await attempt(service, OWNER, PASSWORD, '203.0.113.1')).status).toBe(429);
    // An attacked account gets fewer tries from each address; the right password still is one of them.
    const tries = [];
    for (let count = 0; count < 5; count++) tries.push(await attempt(service, OWNER, 'Wrong-Horse-9', '198.51.100.7'));
    expect(tries.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429]);
    expect((await attempt(service, OWNER, PASSWORD, '198.51.100.8')).status).toBe(200);
  });

  it('are forgiven after a quarter of an hour, and right ones do not count', async () => {
    const clock = new ManualClock();
    const service = await start({ clock });
    await putUser(service, 1);
    for (let count = 0; count < 3 * LOGIN_LIMITS.ofPair; count++)
      expect((await attempt(service, OWNER, PASSWORD)).status).toBe(200);
    for (let count = 0; count < LOGIN_LIMITS.ofPair; count++) await attempt(service, OWNER, 'Wrong-Horse-9');
    const { status, headers } = await attempt(service, OWNER, PASSWORD);
    expect(status).toBe(429);
    clock.advance(Number(headers.get('retry-after')) * 1_000 - 1_000);
    expect((await attempt(service, OWNER, PASSWORD)).status).toBe(429);
    clock.advance(1_000);
    expect((await attempt(service, OWNER, PASSWORD)).status).toBe(200);
  });

  it('from one network of IPv6 are from one address, and from one address count whatever the account', async () => {
    const service = await start({ clock: new ManualClock() });
    await putUser(service, 1);
    for (let count = 0; count < LOGIN_LIMITS.ofPair; count++)
      await attempt(service, OWNER, 'Wrong-Horse-9', `2001:db8:1:2::${count + 1}`);
    expect((await attempt(service, OWNER, PASSWORD, '2001:db8:1:2:ffff::9')).status).toBe(429);
    expect((await attempt(service, OWNER, PASSWORD, '2001:db8:1:3::9')).status).toBe(200);
    for (let id = 2; id <= 12; id++) await putUser(service, id);
    for (let count = 0; count < LOGIN_LIMITS.ofAddress; count++)
      await attempt(service, `user-${2 + (count % 11)}@example.org`, 'Wrong-Horse-9', '192.0.2.1');
    expect((await attempt(service, OWNER, PASSWORD, '192.0.2.1')).status).toBe(429);
    expect((await attempt(service, OWNER, PASSWORD, '192.0.2.2')).status).toBe(200);
  });

  it('are known to a process that takes over the store, by nothing that tells what was typed', async () => {
    const first = await start({ onDisk: true });
    await putUser(first, 1);
    for (let count = 0; count < LOGIN_LIMITS.ofPair; count++) await attempt(first, OWNER, 'Wrong-Horse-9');
    // Somebody typed a password where the name belongs.
    await attempt(first, 'Typed-In-The-Wrong-Field-9', 'x', '198.51.100.1');
    await first.running.close();
    const second = await start({ directory: first.directory });
    expect((await attempt(second, OWNER, PASSWORD)).status).toBe(429);
    expect((await attempt(second, OWNER, PASSWORD, '198.51.100.2')).status).toBe(200);
    await second.running.close();
    for (const text of ['Wrong-Horse-9', 'Typed-In-The-Wrong-Field-9', 'typed-in-the-wrong-field-9'])
      expect(filesWith(first.directory, text)).toEqual([]);
  });

  it('are told as `loginAttempts` of the user, until they sign on', async () => {
    const clock = new ManualClock();
    const backing = new MemoryBacking();
    const service = await start({ clock, store: new MemoryStore({ backing }) });
    await putUser(service, 1);
    const attempts = () => service.running.services.state.get('users', '1')?.loginAttempts;
    const gather = async () => {
      clock.advance(30_000);
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    const { tip } = backing;
    for (let count = 0; count < 3; count++) await attempt(service, OWNER, 'Wrong-Horse-9');
    expect(backing.tip).toBe(tip);
    await gather();
    expect(attempts()).toBe(3);
    await attempt(service, OWNER, 'Wrong-Horse-9');
    await gather();
    expect(attempts()).toBe(4);
    await attempt(service, OWNER, 'Wrong-Horse-9');
    expect((await attempt(service, OWNER, PASSWORD)).body.loginAttempts).toBe(0);
    await gather();
    expect(attempts()).toBe(0);
  });
});

describe('a flood of people who sign on', () => {
  it('is answered as far as passwords can be worked on, and the rest is told when to come again', async () => {
    const service = await start({ passwords: new Passwords() });
    for (let id = 1; id <= 3; id++) await putUser(service, id);
    const tries = Array.from({ length: 300 }, (_, count) =>
      attempt(service, `nobody-${count}@example.org`, 'Wrong-Horse-9', `10.0.${count >> 8}.${count & 255}`),
    );
    const flood = statuses(tries);
    // Everything else is answered meanwhile.
    await accepted(service, 'getAllClientFeatures');
    await accepted(service, 'getProjects');
    const counts = await flood;
    // How many depends on how fast they arrive.
    expect(counts[429]).toBeGreaterThan(0);
    expect((counts[401] ?? 0) + (counts[429] ?? 0)).toBe(300);
    const { status } = await attempt(service, 'user-2@example.org', PASSWORD, '10.1.1.1');
    expect(status).toBe(200);
  });
});

describe('signing on with a password', () => {
  it('is refused where it is switched off', async () => {
    const service = await start();
    await putUser(service, 1);
    await prepare(service, (draft) => draft.put('signOnSettings', { protocol: 'simple', disabled: true }));
    const { passwords } = service.running.services;
    const before = passwords.derivations;
    const { status, body } = await attempt(service, OWNER, PASSWORD);
    expect([status, body.name]).toEqual([403, 'NoAccessError']);
    expect(passwords.derivations).toBe(before);
  });
});
