import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context, Unleash, UnleashEvents } from 'unleash-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FaultyProxy } from '../support/http/faulty-proxy.ts';
import { BUILT_PROGRAM } from '../support/programs/built-program.ts';
import { endSdk } from '../support/programs/end-sdk.ts';
import { type ServiceProcess, spawnService, untilReady } from '../support/programs/process.ts';
import { ADMIN_TOKEN } from '../support/service.ts';
import { untilTrue } from '../support/until.ts';
import { ask, isSince, PEER } from './unleash.ts';
import { ENVIRONMENTS, fillUnleash, nameOf, ODD, PEOPLE, type PeerToken, peopleOf, SAID } from './unleash-world.ts';

const EVALUATIONS_MIN = 5_000;
/** Long enough that the test sees the result of one poll before the next poll begins. */
const INTERVAL_S = 5;

let directory: string;
let target: ServiceProcess;
let tokens: PeerToken[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-peer-target-'));
  target = await spawnService(directory);
  await untilReady(target);
  tokens = await fillUnleash();
});

afterAll(async () => {
  await target?.end();
  await rm(directory, { recursive: true, force: true });
});

async function fromFile(file: string, ...args: readonly string[]) {
  const { ended, said } = startedWith('--file', file, ...args);
  return { code: await ended, out: said() };
}

function started(from: string, ...args: readonly string[]) {
  return startedWith('--from', from, ...args);
}

function startedWith(...args: readonly string[]) {
  const child = spawn(process.execPath, [BUILT_PROGRAM, 'migrate', '--url', target.url, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, FROM_TOKEN: PEER.adminToken, BURGEE_TOKEN: ADMIN_TOKEN },
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
  }
  return { child, said: () => out, ended: once(child, 'close').then(([code]) => code as number | null) };
}

async function migrate(...args: readonly string[]) {
  const { ended, said } = started(PEER.url, ...args);
  return { code: await ended, out: said() };
}

it('moves 3 projects, 3 environments, 22 segments, 203 flags, 12 tokens and 3 users in one command', async () => {
  const { code, out } = await migrate();
  expect(code, out).toBe(0);
  if (SAID.segments > 0) expect(out).toMatch(/22 segments created/);
  expect(out).toContain(`${SAID.flags} flags created`);
  if (isSince(8)) expect(out).toMatch(/root role Auditor: the source does not show its permissions/);
  expect(tokens.length).toBe(3 * ENVIRONMENTS.length + 3);
  expect(out).toContain(`${tokens.length + 1} API tokens created`);
  if (SAID.lifetimes > 0) expect(out).toMatch(/1 lifetimes of flag types changed: experiment/);
  if (SAID.origins > 0) expect(out).toMatch(/1 lists of frontend origins created: https:\/\/shop\.example\.org/);
  if (SAID.integrations > 0) {
    expect(out).toMatch(/1 integrations created: webhook "Calendar"/);
    expect(out).toMatch(/integration webhook "Calendar": imported switched off, .* enter its secrets here \(url\)/);
  }
  if (SAID.favorites > 0) expect(out).toMatch(/2 favourites created/);
  for (const { secret } of tokens) expect(out).not.toContain(secret);
});

it('users have the same roles here as there', async () => {
  const here = await peopleOf(target.url, ADMIN_TOKEN);
  expect(here).toEqual(PEOPLE);
  expect(here).toEqual(await peopleOf(PEER.url, PEER.adminToken));
});

it('a second run changes nothing', async () => {
  const { code, out } = await migrate();
  expect(code, out).toBe(0);
  expect(out).toMatch(/objects are all the same as in the source/);
});

it('SDKs with their old tokens get the same answers from both', async () => {
  let evaluations = 0;
  for (const environment of ENVIRONMENTS) {
    const token = tokens.find(
      ({ type, projects, environment: of }) => type === 'client' && of === environment && projects[0] === '*',
    );
    const sdks = await Promise.all([PEER.url, target.url].map((url) => sdkOf(url, token?.secret ?? '')));
    const [there, here] = sdks as [Unleash, Unleash];
    const names = there.getFeatureToggleDefinitions().map(({ name }) => name);
    expect(names.length).toBe(SAID.flags - 3);
    expect(
      here
        .getFeatureToggleDefinitions()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...names].sort());
    for (let index = 0; index < 30; index++) {
      const context = contextOf(index);
      for (const name of names) {
        evaluations++;
        const [was, is] = [there.getVariant(name, context), here.getVariant(name, context)];
        expect(is, `${name} in ${environment} for ${JSON.stringify(context)}`).toEqual(was);
      }
    }
    for (const sdk of sdks) endSdk(sdk);
  }
  expect(evaluations).toBeGreaterThan(EVALUATIONS_MIN);
});

it('every token of the source gets the same flags here as there', async () => {
  for (const { secret, type } of tokens) {
    const path = type === 'frontend' ? '/api/frontend?userId=7&plan=gold' : '/api/client/features';
    const [there, here] = await Promise.all([PEER.url, target.url].map((url) => namesFor(url, path, secret)));
    expect(here?.names).toEqual(there?.names);
    expect(here?.names.length).toBeGreaterThan(0);
  }
});

it.runIf(isSince(8))('variants of environments and dependencies on them are moved, with any names', async () => {
  const path = `/projects/default/features/${encodeURIComponent(ODD.parent)}?variantEnvironments=true`;
  const there = await ask('GET', path);
  const headers = { authorization: ADMIN_TOKEN };
  const here = (await (await fetch(`${target.url}/api/admin${path}`, { headers })).json()) as typeof there;
  const variantsOf = ({ environments }: typeof there) =>
    environments
      .filter(({ name }: { name: string }) => name !== 'staging')
      .map(({ variants }: { variants: { name: string; weight: number }[] }) =>
        variants.map(({ name, weight }) => [name, weight]),
      );
  expect(variantsOf(there)[0]).toHaveLength(2);
  expect(variantsOf(here)).toEqual(variantsOf(there));
  expect(here.type).toBe('sunset');
});

it.runIf(isSince(8))('answers for pages are the same, also for text beyond ASCII', async () => {
  const token = tokens.find(({ type, projects }) => type === 'frontend' && projects[0] === '*');
  const answers = new Set<string>();
  for (let index = 0; index < 40; index++) {
    const query = `userId=${encodeURIComponent(index === 0 ? '7' : `åsa-用-${index}`)}&sessionId=s&remoteAddress=10.0.0.1`;
    const [there, here] = await Promise.all(
      [PEER.url, target.url].map(async (url) => {
        const headers = { authorization: token?.secret ?? '' };
        const answer = await fetch(`${url}/api/frontend?${query}`, { headers });
        const { toggles } = (await answer.json()) as { toggles: { name: string; variant: { name: string } }[] };
        const odd = toggles.filter(({ name }) => name.startsWith('default-odd'));
        return odd
          .map(({ name, variant }) => `${name} ${variant.name}`)
          .sort()
          .join();
      }),
    );
    expect(here, query).toBe(there);
    answers.add(there ?? '');
  }
  // Whether the rollout is on, and which variant.
  expect(answers.size).toBeGreaterThanOrEqual(4);
});

it.runIf(isSince(8))(
  'an export of an environment without its settings is imported with its strategies, and the missing setting is reported',
  async () => {
    const features = [nameOf(0)];
    const exported = await ask('POST', '/features-batch/export', { environment: 'staging', features });
    expect(exported.featureEnvironments).toEqual([]);
    const file = join(directory, 'staging.json');
    await writeFile(file, JSON.stringify(exported));
    const run = (...args: readonly string[]) => fromFile(file, ...args);
    expect((await run()).out).toContain('specify --environment NAME');
    const { out } = await run('--environment', 'staging', '--dry-run');
    expect(out).toMatch(/does not contain whether it is on in staging/);
  },
);

it('verifies that nothing is different', async () => {
  const { code, out } = await migrate('--verify');
  expect(code, out).toBe(0);
  expect(out).toMatch(/ 0 differences\./);
  expect(out).toMatch(/Compared [1-9]\d* answers of the frontend API/);
  expect(out).not.toMatch(/has a different definition: dependencies/);
});

it('follows: a change there is applied here with the next poll', async () => {
  const proxy = await FaultyProxy.before(PEER.url);
  const polls = () => proxy.count('GET', '/api/admin/search/events?limit=100&offset=0');
  const following = started(proxy.url, '--follow', '--interval', String(INTERVAL_S));
  const name = nameOf(1);
  const path = `/projects/mobile/features/${name}/environments/production`;
  const isOn = async () => {
    const answer = await fetch(`${target.url}/api/admin/projects/mobile/features/${name}`, {
      headers: { authorization: ADMIN_TOKEN },
    });
    const { environments } = (await answer.json()) as { environments: { name: string; enabled: boolean }[] };
    return environments.find(({ name: of }) => of === 'production')?.enabled;
  };
  await untilTrue(async () => following.said().includes('following'));
  const before = await isOn();
  await ask('POST', `${path}/${before ? 'off' : 'on'}`);
  // One of these may have begun before the change.
  const pollsBefore = polls();
  await untilTrue(async () => (await isOn()) !== before);
  const pollsThen = polls();
  following.child.kill('SIGINT');
  expect(await following.ended, following.said()).toBe(0);
  await proxy.close();
  expect(following.said()).toMatch(/1 flags read/);
  expect(pollsThen - pollsBefore, following.said()).toBeLessThanOrEqual(1);
});

async function sdkOf(url: string, token: string): Promise<Unleash> {
  const sdk = new Unleash({
    url: `${url}/api`,
    appName: 'peer',
    customHeaders: { Authorization: token },
    refreshInterval: 3_600_000,
    disableMetrics: true,
    skipInstanceCountWarning: true,
    storageProvider: { set: async () => {}, get: async () => undefined },
  });
  await once(sdk, UnleashEvents.Synchronized);
  return sdk;
}

function contextOf(index: number): Context {
  const pick = (...values: string[]) => values[index % values.length] as string;
  return {
    userId: index % 2 === 0 ? String(index * 37_003) : pick('7', '2', 'somebody'),
    sessionId: `session-${index}`,
    remoteAddress: pick('10.0.0.1', '10.1.2.3', '10.2.0.1'),
    appName: pick('my-WEB-app', 'other'),
    properties: {
      plan: pick('gold', 'silver', 'none', 'iron'),
      version: pick('1.2.3', '1.2.4', '2.0.0-rc.1', 'x'),
      email: pick('a@example.org', 'a@example.com'),
      age: pick('29', '30', '31', 'old'),
    },
  };
}

async function namesFor(url: string, path: string, token: string) {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: token, 'unleash-client-spec': '5.2.0' } });
  expect(answer.status, `${url}${path}`).toBe(200);
  const { features, toggles } = (await answer.json()) as {
    features?: { name: string }[];
    toggles?: { name: string }[];
  };
  return { names: (features ?? toggles ?? []).map(({ name }) => name).sort() };
}
