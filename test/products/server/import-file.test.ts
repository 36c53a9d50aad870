import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { ConfigError } from '../../../src/base/options.ts';
import { runProgram } from '../../../src/products/program/program.ts';
import { MemoryBacking, MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { accepted } from '../../support/admin.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'burgee-import-file-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

let files = 0;
async function saved(content: unknown): Promise<string> {
  const path = join(folder, `export-${++files}.json`);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const FLAG = { name: 'banner', type: 'release', description: 'of the file', project: 'elsewhere', stale: false };
const rollout = (percentage: string) => ({
  id: '01H',
  name: 'flexibleRollout',
  featureName: 'banner',
  constraints: [],
  segments: [],
  parameters: { rollout: percentage, stickiness: 'default', groupId: 'banner' },
});
const exported = (changes: object = {}) => ({
  features: [FLAG],
  featureStrategies: [rollout('50')],
  featureEnvironments: [{ featureName: 'banner', environment: 'old', enabled: true, variants: [] }],
  contextFields: [],
  featureTags: [],
  segments: [],
  tagTypes: [],
  dependencies: [],
  links: [],
  ...changes,
});

interface Logged {
  readonly level: 'info' | 'error' | 'warn';
  readonly message: string;
  readonly reason?: string;
}

/** Starts on the store, runs `work`, stops. */
async function started<Result>(
  backing: MemoryBacking,
  env: Readonly<Record<string, string>>,
  work: (service: TestService, logged: readonly Logged[]) => Result | Promise<Result>,
): Promise<Result> {
  const logged: Logged[] = [];
  const log = (level: Logged['level']) => (fields: object, message: string) =>
    void logged.push({ ...fields, level, message });
  const logger = { ...silentLogger, info: log('info'), error: log('error'), warn: log('warn') };
  const service = await startTestService({
    env,
    store: new MemoryStore({ backing }),
    logger: logger as unknown as typeof silentLogger,
  });
  try {
    return await work(service, logged);
  } finally {
    await service.close();
  }
}

async function refusal(backing: MemoryBacking, env: Readonly<Record<string, string>>): Promise<string> {
  const problem = await started(backing, env, () => 'it started').catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(ConfigError);
  return (problem as ConfigError).message;
}

const flagIn = (service: TestService, environment: string, name = 'banner') =>
  service.running.services.state.get('features', name)?.environments.find((one) => one.environment === environment);
const seqOf = (service: TestService) => service.running.services.state.seq;

describe('IMPORT_FILE', () => {
  it('fills a new store in the commit of its first content, and SDKs get the flags from the first answer on', async () => {
    const backing = new MemoryBacking();
    await started(backing, { IMPORT_FILE: await saved(exported()) }, async (service, logged) => {
      expect(backing.tip).toBe(1);
      const { features } = (await accepted(service, 'getAllClientFeatures')).body;
      expect(features).toMatchObject([
        { name: 'banner', enabled: true, project: 'default', strategies: [{ parameters: { rollout: '50' } }] },
      ]);
      expect(flagIn(service, 'production')?.enabled ?? false).toBe(false);
      expect(logged.filter(({ message }) => message.includes('IMPORT_FILE'))).toMatchObject([{ changedFlags: 1 }]);
    });
  });

  it('leaves out a flag that cannot be stored, and logs which one, also at the first start', async () => {
    const broken = { ...FLAG, name: 'broken' };
    const odd = { ...rollout('x'), featureName: 'broken' };
    const env = {
      IMPORT_FILE: await saved(exported({ features: [FLAG, broken], featureStrategies: [rollout('50'), odd] })),
    };
    await started(new MemoryBacking(), env, (service, logged) => {
      expect(flagIn(service, 'development')?.enabled).toBe(true);
      expect(service.running.services.state.get('features', 'broken')).toBeUndefined();
      const [warning] = logged.filter(({ message }) => message.includes('left out'));
      expect(JSON.stringify(warning)).toContain('broken');
    });
  });

  it('imports into the project and the environment that are named', async () => {
    const backing = new MemoryBacking();
    await started(backing, {}, (service) => accepted(service, 'createProject', { body: { id: 'shop', name: 'Shop' } }));
    const env = { IMPORT_FILE: await saved(exported()), IMPORT_PROJECT: 'shop', IMPORT_ENVIRONMENT: 'production' };
    await started(backing, env, (service) => {
      expect(service.running.services.state.get('features', 'banner')?.project).toBe('shop');
      expect(flagIn(service, 'production')?.enabled).toBe(true);
      expect(flagIn(service, 'development')?.enabled ?? false).toBe(false);
    });
  });

  it('is imported at every start: it restores what the file contains, keeps everything else, and writes nothing without a difference', async () => {
    const backing = new MemoryBacking();
    const env = { IMPORT_FILE: await saved(exported()) };
    const first = await started(backing, env, seqOf);
    expect(await started(backing, env, seqOf)).toBe(first);
    await started(backing, env, async (service) => {
      const at = { projectId: 'default', featureName: 'banner' };
      await accepted(service, 'toggleFeatureEnvironmentOff', { params: { ...at, environment: 'development' } });
      await accepted(service, 'toggleFeatureEnvironmentOn', { params: { ...at, environment: 'production' } });
      await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'own' } });
    });
    await started(backing, env, (service) => {
      expect(flagIn(service, 'development')?.enabled).toBe(true);
      expect(flagIn(service, 'production')?.enabled).toBe(true);
      expect(service.running.services.state.get('features', 'own')).toBeDefined();
    });
    const changed = { IMPORT_FILE: await saved(exported({ featureStrategies: [rollout('70')] })) };
    await started(backing, changed, (service) => {
      expect(flagIn(service, 'development')?.strategies[0]?.parameters.rollout).toBe('70');
    });
  });

  it.each([
    ['is not there', () => join(folder, 'missing.json'), /there is no such file/],
    ['is a folder', () => folder, /it is a directory/],
    ['is not JSON', () => saved('{"features": ['), /is not JSON/],
    [
      'is no export',
      () => saved({ flags: [] }),
      /is not an export of flags .* data must have required properties features/,
    ],
    ['has a flag without a name', () => saved(exported({ features: [{ type: 'release' }] })), /data\/features\/0/],
    ['names a flag twice', () => saved(exported({ features: [FLAG, FLAG] })), /more than once: banner/],
    ['is a state export of an old Unleash', () => saved(exported({ version: 4 })), /state export of an older Unleash/],
    ['is too large', () => saved(exported()), /it is larger than 100 bytes/],
  ])(
    'that %s stops the start before anything is stored, and burgee config says so, too',
    async (name, path, expected) => {
      const backing = new MemoryBacking();
      const limit: Record<string, string> = name === 'is too large' ? { IMPORT_BODY_LIMIT_BYTES: '100' } : {};
      const env = { IMPORT_FILE: await path(), ...limit };
      expect(await refusal(backing, env)).toMatch(expected);
      expect(backing.tip).toBe(0);
      let err = '';
      const directory = join(folder, 'untouched');
      const code = await runProgram(['config'], {
        environment: { ...env, DATA_DIR: directory },
        out: () => {},
        err: (text) => {
          err += text;
        },
      });
      expect([code, existsSync(directory)]).toEqual([1, false]);
      expect(err).toMatch(/^burgee config: IMPORT_FILE: /);
      expect(err).toMatch(expected);
    },
  );

  const unknownSegment = exported({
    featureStrategies: [{ ...rollout('50'), segments: [7] }],
    segments: [{ id: 7, name: 'gold' }],
  });

  it.each([
    ['a segment that does not exist', unknownSegment, {}, /segments do not exist .* gold/],
    ['an environment that does not exist', exported(), { IMPORT_ENVIRONMENT: 'staging' }, /staging/],
    ['a project that does not exist', exported(), { IMPORT_PROJECT: 'shop' }, /shop/],
  ])('that needs %s stops the first start and leaves the store empty', async (_name, content, more, expected) => {
    const backing = new MemoryBacking();
    const path = await saved(content);
    const message = await refusal(backing, { IMPORT_FILE: path, ...more });
    expect(message).toMatch(/^IMPORT_FILE: /);
    expect(message).toMatch(expected);
    expect(backing.tip).toBe(0);
    let err = '';
    const directory = join(folder, 'untouched');
    await mkdir(directory, { recursive: true });
    const code = await runProgram(['config'], {
      environment: { IMPORT_FILE: path, ...more, DATA_DIR: directory },
      out: () => {},
      err: (text) => {
        err += text;
      },
    });
    expect(code).toBe(1);
    expect(err).toMatch(expected);
  });

  it('that cannot be imported later does not stop the start: the flags stay, and the log says why', async () => {
    const backing = new MemoryBacking();
    const before = await started(backing, { IMPORT_FILE: await saved(exported()) }, seqOf);
    await started(backing, { IMPORT_FILE: await saved(unknownSegment) }, (service, logged) => {
      expect(seqOf(service)).toBe(before);
      expect(flagIn(service, 'development')?.strategies).toHaveLength(1);
      expect(logged.filter(({ level }) => level === 'error')).toEqual([
        expect.objectContaining({
          message: 'IMPORT_FILE is not imported: the flags stay as they are',
          reason: expect.stringContaining('gold'),
        }),
      ]);
    });
  });
});

describe('ENABLED_ENVIRONMENTS', () => {
  it('switches these environments on at every start, leaves the others, and warns of those that do not exist', async () => {
    const backing = new MemoryBacking();
    const isOn = (service: TestService, name: string) =>
      service.running.services.state.get('environments', name)?.enabled;
    await started(backing, {}, async (service) => {
      for (const name of ['development', 'production'])
        await accepted(service, 'toggleEnvironmentOff', { params: { name }, body: {} });
    });
    await started(backing, { ENABLED_ENVIRONMENTS: 'production, nowhere' }, (service, logged) => {
      expect([isOn(service, 'production'), isOn(service, 'development')]).toEqual([true, false]);
      expect(logged.filter(({ level }) => level === 'warn')).toEqual([
        expect.objectContaining({ environment: 'nowhere', message: expect.stringContaining('ENABLED_ENVIRONMENTS') }),
      ]);
    });
  });
});
