import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exportWith } from '../support/entrances.ts';
import { fixture } from '../support/fixtures.ts';
import { Flags } from '../support/flags.ts';
import { STRATEGY_INPUTS } from '../support/odd-inputs.ts';
import { BurgeeProcess } from '../support/programs/burgee-process.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, serviceAt, type TestService } from '../support/service.ts';
import { LANGUAGES } from './languages.ts';
import { Lines } from './lines.ts';
import { Absence, removeInstalled } from './toolchains.ts';

/** The flags that were on for a context in the Node SDK, with the Unleash 8.2 whose export is imported here. */
interface ExpectedCase {
  readonly context: Readonly<Record<string, unknown>>;
  readonly on: Readonly<Record<string, { readonly variant?: string }>>;
}

/** The name of the variant of each flag that is on. */
type Answers = Readonly<Record<string, string | null>>;

const { cases } = fixture<{ readonly cases: readonly ExpectedCase[] }>('expected');

const ODD_INPUTS = STRATEGY_INPUTS.filter(({ stored }) => stored !== undefined);

const PEERS = LANGUAGES.flatMap(({ modes, ...language }) => modes.map((mode) => ({ ...language, mode })));

// All at once: downloads of one language overlap with builds of another, and with the tests of the first one. Each suite awaits its own.
beforeAll(() => {
  for (const { install } of LANGUAGES) void install().catch(() => undefined);
});
afterAll(async () => {
  await Promise.allSettled(LANGUAGES.map(({ install }) => install()));
  removeInstalled();
});

describe.each(PEERS)('$name, unmodified, $mode', ({ name: peer, install, mode, differs, differsFor }) => {
  const appName = `sdks-${peer.split(':')[0]?.toLowerCase()}-${mode}`;
  let absence: string | undefined;
  let directory: string;
  let burgee: BurgeeProcess;
  let flags: Flags;
  let sdk: Lines;
  let names: string[];
  /** Flags that were sent in the odd forms of people, tools and exports. */
  let oddNames: string[];

  /** Below the ports of outgoing connections: otherwise a connection could connect to itself while the service is stopped. */
  const port = String(20_000 + Math.floor(Math.random() * 10_000));

  async function start(): Promise<string> {
    burgee = new BurgeeProcess({
      HTTP_PORT: port,
      DATA_DIR: join(directory, 'data'),
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
      INIT_CLIENT_API_TOKENS: CLIENT_TOKEN,
      INIT_FRONTEND_API_TOKENS: FRONTEND_TOKEN,
    });
    const url = await burgee.url();
    flags = new Flags(serviceAt(url) as TestService);
    return url;
  }

  beforeAll(async () => {
    const installed = await install();
    if (installed instanceof Absence) {
      absence = installed.reason;
      console.warn(`${peer}: ${absence}`);
      return;
    }
    directory = mkdtempSync(join(tmpdir(), 'burgee-sdks-'));
    const url = await start();
    for (const { name, description, constraints } of fixture<Record<string, unknown>[]>('segments'))
      await flags.call('createSegment', {}, { name, description, constraints });
    const data = fixture<{ features: { name: string }[] }>('export');
    await flags.call('importFeatures', {}, { project: 'default', environment: 'development', data });
    names = data.features.map(({ name }) => name);
    const odd = exportWith('odd', ODD_INPUTS);
    await flags.call('importFeatures', {}, { project: 'default', environment: 'development', data: odd });
    oddNames = odd.features.map(({ name }) => name);
    sdk = new Lines(installed.command, [...installed.given, `${url}/api`, CLIENT_TOKEN, directory, appName, mode]);
  });

  beforeEach(({ skip }) => skip(absence !== undefined, absence));

  afterAll(async () => {
    await sdk?.stop();
    await burgee?.stop();
    if (directory) rmSync(directory, { recursive: true, force: true });
  });

  const ask = (context: object, asked: readonly string[] = names) => sdk.ask<Answers>({ context, names: asked });

  it('evaluates the flags of the oracle as Burgee does, except for known differences', async () => {
    const others = new Set<string>();
    for (const { context, on } of cases) {
      const answers = await ask(context);
      for (const name of names) {
        const expected = name in on ? (on[name]?.variant ?? null) : undefined;
        if (answers[name] !== expected) others.add(name);
      }
    }
    expect([...others].sort()).toEqual([...differs].sort());
  });

  it('evaluates flags that came in odd forms as Burgee does, except for known differences', async () => {
    const others = new Set<string>();
    for (let user = 0; user < 40; user++) {
      const context = { userId: String(user), properties: { age: '6', beta: 'true', 5: '1' } };
      const query = `userId=${user}&properties[age]=6&properties[beta]=true&properties[5]=1`;
      const { body } = await flags.service.call('getFrontendFeatures', { query, token: FRONTEND_TOKEN });
      const on = new Set(body.toggles.map(({ name }: { name: string }) => name));
      const answers = await ask(context, oddNames);
      for (const [index, name] of oddNames.entries())
        if (on.has(name) !== name in answers) others.add(ODD_INPUTS[index]?.what ?? name);
    }
    expect([...others].sort()).toEqual([...differsFor].sort());
  });

  it('is updated in its own mode', async () => {
    const page = await (await fetch(`http://127.0.0.1:${port}/internal-backstage/prometheus`)).text();
    expect(page).toContain(`\nburgee_streams ${mode === 'streaming' ? 1 : 0}\n`);
  });

  it('reports its use', async () => {
    const [name = ''] = names;
    for (;;) {
      const { body } = await flags.call('getRawFeatureMetrics', { name });
      if (body.data.some((entry: { appName: string }) => entry.appName === appName)) return;
      await wait(200);
    }
  });

  it('continues while the service is stopped, and follows it after its restart', async () => {
    const [{ context, on } = { context: {}, on: {} }] = cases;
    burgee.process.kill('SIGTERM');
    expect(await burgee.exited).toBe(0);
    const known = names.filter((name) => !differs.includes(name));
    expect(Object.keys(await ask(context, known)).sort()).toEqual(known.filter((name) => name in on).sort());
    await start();
    const featureName = await flags.create();
    await flags.call('toggleFeatureEnvironmentOn', { featureName, environment: 'development' });
    while (!(featureName in (await ask(context, [featureName])))) await wait(200);
  });
});
