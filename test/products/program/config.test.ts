import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { ConfigError } from '../../../src/base/options.ts';
import { ConsoleFiles } from '../../../src/features/console/console-files.ts';
import { Passwords } from '../../../src/features/sign-on/passwords/hashing.ts';
import { readOffline } from '../../../src/products/offline/serve.ts';
import { readRelay } from '../../../src/products/relay/serve.ts';
import { chooseStore } from '../../../src/products/server/open-store.ts';
import { readServer } from '../../../src/products/server/read-server.ts';
import { startService } from '../../../src/products/server/service.ts';
import { MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { environmentsIn, type TriedEnvironment, triedEnvironments } from '../../support/environments.ts';
import { CHEAP } from '../../support/password-cost.ts';
import { burgee } from '../../support/programs/run-burgee.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'burgee-config-'));
const ENVIRONMENTS = triedEnvironments(FOLDER);
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const environmentOf = environmentsIn(FOLDER);

type Environment = ReturnType<typeof environmentOf>;

/** What `burgee config` says: null, or why the command would not start. */
async function verdictOfConfig(command: string, environment: Environment): Promise<string | null> {
  const { code, err } = await burgee(['config', '--for', command], environment);
  expect([0, 1]).toContain(code);
  return code === 0 ? null : err.replace(/^(warning: .*\n)*burgee config: /, '').trimEnd();
}

/** Starts the service in this process, with the parts that the command starts, and stops it. */
async function verdictOfStart(command: TriedEnvironment['command'], environment: Environment): Promise<string | null> {
  try {
    const { config, ...stored } = await partsOf(command, environment);
    const service = await startService({
      config,
      ...stored,
      clock: systemClock,
      logger: silentLogger,
      random: Math.random,
      parts: {
        passwords: new Passwords({ cost: CHEAP }),
        consoleFiles: new ConsoleFiles(() => undefined, config, silentLogger),
      },
    });
    service.started.catch(() => {});
    await service.close();
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
}

async function partsOf(command: TriedEnvironment['command'], environment: Environment) {
  if (command === 'serve') {
    const { config } = await readServer(environment);
    return { config, ...(await chooseStore(config, systemClock, silentLogger)) };
  }
  const { config, source, isStored } = await (command === 'relay' ? readRelay : readOffline)(environment);
  const store = isStored ? await chooseStore(config, systemClock, silentLogger) : { store: new MemoryStore() };
  return { config, ...store, source: source(systemClock, silentLogger) };
}

describe('burgee config', () => {
  beforeAll(() => {
    expect(ENVIRONMENTS.length).toBeGreaterThanOrEqual(60);
    const wrongCount = ENVIRONMENTS.filter(({ refusal }) => refusal !== null).length;
    expect(wrongCount).toBe(ENVIRONMENTS.length / 2);
  });

  it.each(ENVIRONMENTS.map((tried) => [tried.command, tried.name, tried] as const))(
    'judges as a start of burgee %s does: %s',
    async (command, _name, tried) => {
      const environment = environmentOf(tried);
      const refusal = await verdictOfConfig(command, environment);
      expect(await verdictOfStart(command, environment)).toBe(refusal);
      if (tried.refusal === null) expect(refusal).toBeNull();
      else expect(refusal).toMatch(tried.refusal);
    },
  );

  it('writes nothing, and reads the environment of a store that exists', async () => {
    const tried = ENVIRONMENTS.find(({ name }) => name === 'a token of an unknown environment') as TriedEnvironment;
    const environment = environmentOf({ ...tried, variables: {} });
    expect(await verdictOfConfig('serve', environment)).toBeNull();
    expect(await verdictOfStart('serve', environment)).toBeNull();
    // Now the store exists. Only the start can read it: there it is a warning, because an admin may have deleted the environment.
    expect(await verdictOfConfig('serve', { ...environment, ...tried.variables })).toBeNull();
    expect(await verdictOfStart('serve', { ...environment, ...tried.variables })).toBeNull();
  });
});
