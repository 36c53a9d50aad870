import { afterEach, describe, expect, it } from 'vitest';
import { LOGIN_LIMITS } from '../../../src/features/sign-on/login-guard.ts';
import { Passwords } from '../../../src/features/sign-on/passwords/hashing.ts';
import { MemoryBacking, MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { accepted, prepare } from '../../support/admin.ts';
import { filesWith } from '../../support/http/raw-bytes.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { PASSWORD, putUser } from '../../support/people.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../../support/service.ts';

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

/** The number of answers with each status. */
async function statuses(tries: Promise<{ status: number }>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(tries)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('wrong passwords', () => {
  it('are throttled: of many concurrent attempts, as many are verified as of sequential ones', async () => {
    const service = await start({ clock: new ManualClock() });
    await putUser(service, 1);
    const { passwords } = service.running.services;
    const before = passwords.derivations;
    const tries = Array.from({ length: 200 }, () => attempt(service, OWNER, 'Wrong-Horse-9'));
    expect(await statuses(tries)).toEqual({ 401: LOGIN_LIMITS.ofPair, 429: 200 - LOGIN_LIMITS.ofPair });
    expect(passwords.derivations - before).toBe(LOGIN_LIMITS.ofPair);
    const { status, headers, body } = await attempt(service, OWNER, PASSWORD);
    expect([status, body.name]).toEqual([429, 'TooManyRequestsError']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(600);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(900);
  });

  it('for an unknown user are throttled with the same answers', async () => {
    const clock = new ManualClock();
    const service = await start({ clock });
    await putUser(service, 1);
    const transcripts: string[] = [];
    for (const email of [OWNER, 'nobody@example.org']) {
      const answers: unknown[] = [];
      for (let count = 0; count <= LOGIN_LIMITS.ofPair; count++) {
        const { status, body, headers } = await attempt(service, email, 'Wrong-Horse-9');
        answers.push([status, { ...body, id: '' }, headers.get('retry-after')]);
      }
      transcripts.push(JSON.stringify(answers));
    }
    expect(transcripts[0]).toBe(transcripts[1]);
    expect(transcripts[0]).toContain('[429,');
  });

  it('count together for the username and the email of an account, and no answer reveals that both belong to it', async () => {
    const service = await start({ clock: new ManualClock() });
    await putUser(service, 1, { username: 'owner' });
    const { passwords } = service.running.services;
    const byName = (name: string, password: string, address = '203.0.113.1') =>
      service.call('login', { body: { username: name, password }, headers: { 'x-forwarded-for': address } });
    for (let count = 0; count < LOGIN_LIMITS.ofPair; count++) await byName('owner', 'Wrong-Horse-9');
    const before = passwords.derivations;
    const answers = [];
    for (let count = 0; count <= LOGIN_LIMITS.ofPair; count++) answers.push(await byName(OWNER, PASSWORD));
    // As for an unknown name: the correct password is refused too, and costs the same work.
    expect(answers.map(({ status }) => status)).toEqual([...Array(LOGIN_LIMITS.ofPair).fill(401), 429]);
    expect(passwords.derivations - before).toBe(LOGIN_LIMITS.ofPair);
    expect((await byName(OWNER, PASSWORD, '198.51.100.1')).status).toBe(200);
  });

  it('of an attacker do not lock out the user at another address', async () => {
    const service = await start({ clock: new ManualClock() });
    await putUser(service, 1);
    for (let count = 0; count < 60; count++)
      await attempt(service, OWNER, 'Wrong-Horse-9', `203.0.113.${Math.floor(count / 10)}`);
    expect((await attempt(service, OWNER, PASSWORD, '203.0.113.1')).status).toBe(429);
    // An attacked account gets fewer attempts from each address. The correct password still works from a new address.
    const tries = [];
    for (let count = 0; count < 5; count++) tries.push(await attempt(service, OWNER, 'Wrong-Horse-9', '198.51.100.7'));
    expect(tries.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429]);
    expect((await attempt(service, OWNER, PASSWORD, '198.51.100.8')).status).toBe(200);
  });

  it('expire after at most 15 minutes, and correct passwords do not count', async () => {
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

  it('from one IPv6 network count as from one address, and one address has a limit over all accounts', async () => {
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

  it('still count after a restart, and the typed texts are not stored', async () => {
    const first = await start({ onDisk: true });
    await putUser(first, 1);
    for (let count = 0; count < LOGIN_LIMITS.ofPair; count++) await attempt(first, OWNER, 'Wrong-Horse-9');
    // A user typed the password into the field for the name.
    await attempt(first, 'Typed-In-The-Wrong-Field-9', 'x', '198.51.100.1');
    await first.running.close();
    const second = await start({ directory: first.directory });
    expect((await attempt(second, OWNER, PASSWORD)).status).toBe(429);
    expect((await attempt(second, OWNER, PASSWORD, '198.51.100.2')).status).toBe(200);
    await second.running.close();
    for (const text of ['Wrong-Horse-9', 'Typed-In-The-Wrong-Field-9', 'typed-in-the-wrong-field-9'])
      expect(filesWith(first.directory, text)).toEqual([]);
  });

  it('are reported as `loginAttempts` of the user, until the user signs on', async () => {
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

describe('a flood of sign-ons', () => {
  it('is answered within the capacity for password checks, and the rest is refused with 429', async () => {
    // Slow enough that passwords wait for each other.
    const service = await start({ passwords: new Passwords({ cost: { N: 2 ** 12, r: 8, p: 1 } }) });
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
  it('is refused when it is switched off', async () => {
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
