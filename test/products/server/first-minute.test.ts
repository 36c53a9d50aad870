import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loggerTo } from '../../../src/base/logger.ts';
import { readConfig } from '../../../src/config.ts';
import { ConsoleFiles } from '../../../src/features/console/console-files.ts';
import { addressesOf } from '../../../src/products/server/addresses.ts';
import { announceConsole } from '../../../src/products/server/console-notice.ts';
import type { FirstTokens } from '../../../src/products/server/first-start.ts';
import { missingWayIn } from '../../../src/products/server/way-in.ts';
import { welcome } from '../../../src/products/server/welcome.ts';
import { MemoryBacking, MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { accepted } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';
import { selfSigned } from '../../support/programs/certificate.ts';
import { makeConsoleFolder } from '../../support/programs/console-folder.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { isDeep } from '../../support/tiers/depth.ts';

const PASSWORD = 'A-chosen-password-1';
const ADMIN = '*:*.chosen';

type Environment = Readonly<Record<string, string>>;

/** Each list has the ways to set some options. The walk takes every combination of one entry of each list; every fifth one in `npm test`. */
const CHOICES: readonly (readonly Environment[])[] = [
  [{ INIT_ADMIN_API_TOKENS: '' }, { INIT_ADMIN_API_TOKENS: ADMIN }],
  [{ INIT_CLIENT_API_TOKENS: '' }, { INIT_CLIENT_API_TOKENS: '*:development.chosen' }],
  [{ INIT_FRONTEND_API_TOKENS: '' }, { INIT_FRONTEND_API_TOKENS: '*:production.chosen' }],
  [{}, { UNLEASH_DEFAULT_ADMIN_USERNAME: 'root' }],
  [{}, { UNLEASH_DEFAULT_ADMIN_PASSWORD: PASSWORD }],
  [
    {},
    { SAML_ENABLED: 'true', SAML_ENTITY_ID: 'idp', SAML_SIGN_ON_URL: 'https://idp/sso', SAML_CERTIFICATE: 'MIIB' },
    { OIDC_ENABLED: 'true', OIDC_DISCOVER_URL: 'https://idp', OIDC_CLIENT_ID: 'burgee', OIDC_AUTO_CREATE: 'true' },
  ],
];

const combinations = CHOICES.reduce<readonly Environment[]>(
  (walked, choices) => walked.flatMap((before) => choices.map((choice) => ({ ...before, ...choice }))),
  [{}],
);

async function started<Result>(
  env: Environment,
  backing: MemoryBacking,
  work: (service: TestService) => Promise<Result>,
): Promise<Result> {
  const service = await startTestService({ env, store: new MemoryStore({ backing }) });
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

const canSignOn = async (service: TestService, username: string, password: string) =>
  (await service.call('login', { body: { username, password } })).status === 200;

/** Whether a person can get in with what the start shows, or with what the operator chose. */
async function hasWayIn(service: TestService, env: Environment): Promise<boolean> {
  const { signOn } = (await service.running.started) ?? { signOn: null };
  const username = env.UNLEASH_DEFAULT_ADMIN_USERNAME ?? 'admin';
  const password = signOn?.password ?? env.UNLEASH_DEFAULT_ADMIN_PASSWORD;
  if (password !== undefined && (await canSignOn(service, username, password))) return true;
  return env.OIDC_AUTO_CREATE === 'true';
}

describe('the console', () => {
  it.each(
    combinations
      .filter((_, index) => isDeep || index % 5 === 0)
      .map(
        (env) =>
          [
            Object.keys(env)
              .filter((name) => env[name] !== '')
              .join(', ') || 'no option',
            env,
          ] as const,
      ),
  )('has a way in, or a warning says how to make one: %s', async (_names, env) => {
    const backing = new MemoryBacking();
    const problem = await started(env, backing, async (service) => {
      const text = missingWayIn(service.running.services);
      expect(text === null).toBe(await hasWayIn(service, env));
      return text;
    });
    if (problem === null) return;
    // Both pieces of advice lead to a person who can sign on.
    expect(problem).toContain('UNLEASH_DEFAULT_ADMIN_PASSWORD');
    expect(problem).toContain(`creates the user ${env.UNLEASH_DEFAULT_ADMIN_USERNAME ?? 'admin'}`);
    expect(problem).toContain('POST /api/admin/user-admin');
    expect(problem.includes('INIT_ADMIN_API_TOKENS')).toBe(env.INIT_ADMIN_API_TOKENS === '');
    await started({ ...env, INIT_ADMIN_API_TOKENS: ADMIN }, backing, async (service) => {
      const body = { username: 'ann', password: PASSWORD, rootRole: 1, sendEmail: false };
      await accepted(service, 'createUser', { token: ADMIN, body });
      expect(missingWayIn(service.running.services)).toBeNull();
      expect(await canSignOn(service, 'ann', PASSWORD)).toBe(true);
    });
  });

  it('has a way in after a later start with a password, as the warning says', async () => {
    const backing = new MemoryBacking();
    const env = { INIT_CLIENT_API_TOKENS: '*:development.chosen' };
    await started(env, backing, async (service) => expect(missingWayIn(service.running.services)).not.toBeNull());
    await started({ ...env, UNLEASH_DEFAULT_ADMIN_PASSWORD: PASSWORD }, backing, async (service) => {
      expect(missingWayIn(service.running.services)).toBeNull();
      expect(await canSignOn(service, 'admin', PASSWORD)).toBe(true);
    });
  });

  it('has no way in when passwords are disabled, until an admin token enables them as the warning says', async () => {
    await started({ UNLEASH_DEFAULT_ADMIN_PASSWORD: PASSWORD }, new MemoryBacking(), async (service) => {
      const set = (disabled: boolean) => accepted(service, 'setPasswordAuthSettings', { body: { disabled } });
      await set(true);
      expect(missingWayIn(service.running.services)).toMatch(/passwords are disabled.*\/auth\/simple\/settings/);
      await set(false);
      expect(missingWayIn(service.running.services)).toBeNull();
    });
  });

  it('has no way in when no user has a password, until an admin token sets one as the warning says', async () => {
    await started({}, new MemoryBacking(), async (service) => {
      const body = { username: 'ann', rootRole: 1, sendEmail: false };
      const { id } = (await accepted(service, 'createUser', { body })).body;
      // The invitation of a new user is a way in until it expires.
      expect(missingWayIn(service.running.services)).toBeNull();
      const later = { nowMs: () => Date.now() + 400 * 86_400_000, sleep: () => Promise.resolve() };
      const { state, config } = service.running.services;
      expect(missingWayIn({ state, config, clock: later })).toMatch(/no user has a password.*change-password/);
      await accepted(service, 'changeUserPassword', { params: { id }, body: { password: PASSWORD } });
      expect(missingWayIn({ state, config, clock: later })).toBeNull();
      expect(await canSignOn(service, 'ann', PASSWORD)).toBe(true);
    });
  });
});

describe('the address of the console', () => {
  it.each([
    [{}, 'http://localhost:4242'],
    [{ HTTP_HOST: '0.0.0.0', BASE_URI_PATH: '/flags' }, 'http://localhost:4242/flags'],
    [{ HTTP_HOST: '192.0.2.7' }, 'http://192.0.2.7:4242'],
    [{ HTTP_HOST: '2001:db8::7' }, 'http://[2001:db8::7]:4242'],
    [{ UNLEASH_URL: 'https://flags.example.com/team/' }, 'https://flags.example.com/team'],
  ] as const)('with %j is %s', (environment, address) => {
    const config = readConfig(environment);
    expect(addressesOf(config, { port: 4242, tlsPort: undefined })).toEqual({ console: address, api: address });
  });

  it('uses HTTPS where the service has it; programs on the machine use HTTP', () => {
    const config = readConfig({ BASE_URI_PATH: 'flags', TLS_SERVER_HOST: '192.0.2.7' });
    expect(addressesOf(config, { port: 4242, tlsPort: 3043 })).toEqual({
      console: 'https://192.0.2.7:3043/flags',
      api: 'http://localhost:4242/flags',
    });
  });

  it('is logged when the console is ready, also when it is built while the service runs', async () => {
    const { folder, remove } = makeConsoleFolder();
    onTestFinished(remove);
    const lines: string[] = [];
    const logger = loggerTo(
      'info',
      (line) => lines.push(JSON.parse(line).msg),
      () => 0,
    );
    const clock = new ManualClock();
    let found: string | undefined;
    const consoleFiles = new ConsoleFiles(() => found, readConfig({}), logger);
    const announced = announceConsole({ consoleFiles, clock }, 'http://localhost:4242', logger);
    await expect.poll(() => lines).toEqual([expect.stringMatching(/^there is no console yet/)]);
    found = folder;
    await clock.advance(1_000);
    await announced;
    expect(lines.at(-1)).toBe('the console is ready');
  });
});

describe('the first minute', () => {
  const TOKENS: FirstTokens = { admin: '*:*.a', client: '*:development.c', frontend: '*:development.f', signOn: null };
  const shownOn = (tokens: FirstTokens, hasConsole: boolean) => {
    let text = '';
    const addresses = { console: 'https://localhost:3043', api: 'http://localhost:4242' };
    welcome(
      { tokens, addresses, hasConsole, dataDirectory: '/never' },
      { isTTY: true, write: (part) => (text += part) },
    );
    return text;
  };

  it('shows on a terminal the console, who may sign on, and the next steps', () => {
    const text = shownOn({ ...TOKENS, signOn: { username: 'root', password: 'made-up' } }, true);
    expect(text).toMatch(/^Burgee is ready\.$/m);
    for (const line of ['console   https://localhost:3043', 'username  root', 'password  made-up', 'admin     *:*.a'])
      expect(text).toContain(`  ${line}\n`);
    expect(text).toContain("curl -sS -X POST 'http://localhost:4242/api/admin/projects/default/features'");
    expect(text).toContain("url: 'http://localhost:4242/api'");
    expect(text).toContain('  API       http://localhost:4242/docs\n');
    // The last block is a module to paste, and nothing follows it.
    expect(text).toMatch(/unleash\.on\('synchronized', .*\);\n\n$/);
  });

  it('says that the operator chose the password, and that the console is still built', () => {
    const text = shownOn({ ...TOKENS, signOn: { username: 'root', password: null } }, false);
    expect(text).toContain('  password  the one in UNLEASH_DEFAULT_ADMIN_PASSWORD\n');
    expect(text).toContain('Its console is not built yet');
    expect(text).not.toContain('change the password');
  });

  it('is the same in first-tokens.txt, with the address that the options give, and every step works', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'burgee-first-minute-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const { key, certificate } = selfSigned('localhost');
    writeFileSync(join(directory, 'key.pem'), key);
    writeFileSync(join(directory, 'cert.pem'), certificate);
    const burgee = new BurgeeProcess({
      DATA_DIR: join(directory, 'data'),
      BASE_URI_PATH: '/flags',
      TLS_ENABLE: 'true',
      TLS_SERVER_PORT: '0',
      TLS_SERVER_KEY: join(directory, 'key.pem'),
      TLS_SERVER_CERT: join(directory, 'cert.pem'),
    });
    onTestFinished(() => burgee.stop());
    const [, port, tlsPort] = await burgee.logged(/"port":(\d+),"tlsPort":(\d+).*"burgee serves"/);
    await burgee.logged(/"url":"https:\/\/localhost:\d+\/flags".*"the console is ready"|"there is no console yet/);
    expect(burgee.stderr).not.toContain('nobody can sign on');
    const file = join(directory, 'data/first-tokens.txt');
    await burgee.printed(new RegExp(`its console is https://localhost:${tlsPort}/flags\\..*\\n\\n +cat '${file}'`));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    const shown = (name: string) => new RegExp(`^ {2}${name} +(\\S+)$`, 'm').exec(text)?.[1] ?? '';
    expect(shown('console')).toBe(`https://localhost:${tlsPort}/flags`);
    const url = `http://127.0.0.1:${port}/flags`;
    const body = JSON.stringify({ username: shown('username'), password: shown('password') });
    const json = { 'content-type': 'application/json' };
    expect((await fetch(`${url}/auth/simple/login`, { method: 'POST', headers: json, body })).status).toBe(200);
    const admin = { authorization: shown('admin'), ...json };
    const flags = `${url}/api/admin/projects/default/features`;
    expect((await fetch(flags, { method: 'POST', headers: admin, body: '{"name":"hello"}' })).status).toBe(201);
    expect(text).toContain(`http://localhost:${port}/flags/api/admin/projects/default/features`);
  });

  it('warns in the log when nobody can sign on', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'burgee-first-minute-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const burgee = new BurgeeProcess({ DATA_DIR: directory, INIT_ADMIN_API_TOKENS: ADMIN });
    onTestFinished(() => burgee.stop());
    const [line] = await burgee.logged(/.*nobody can sign on to the console.*/);
    expect(JSON.parse(line)).toMatchObject({ level: 40, console: expect.stringMatching(/^http:\/\/localhost:\d+$/) });
  });
});
