import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError, type Environment } from '../../base/options.ts';
import { type Config, readConfig } from '../../config.ts';
import { checkFeatureOptions } from '../../features/modules.ts';
import { changedOptions } from '../effective-options.ts';
import { variableWarnings } from '../unknown-variables.ts';
import { checkFirstStart, startChangesOf } from './first-start.ts';
import { redisTarget } from './open-store.ts';
import { checkServerOptions } from './server-options.ts';

/** What a server reads from its environment. */
interface ServerEnvironment {
  readonly config: Config;
  /** The options that are set, by variable, for the log message at the start. Secrets are masked. */
  readonly options: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/**
 * Reads the environment of a server, and checks all that can be checked without a connection, a port or the data of a store. A start and
 * `burgee config` call it, so that they refuse the same environments with the same messages.
 * @throws ConfigError
 */
export async function readServer(environment: Environment): Promise<ServerEnvironment> {
  const config = readConfig(environment);
  const warnings = variableWarnings(environment, config);
  await checkService(config, true);
  await checkFirstStart(config, await startChangesOf(config));
  return { config, options: changedOptions(environment), warnings };
}

/** Checks the options that all services have. `isStored`: whether the data is stored in the data directory or in Redis. @throws ConfigError */
export async function checkService(config: Config, isStored: boolean): Promise<void> {
  if (isStored && config.redisUrl !== '') redisTarget(config.redisUrl);
  if (isStored && config.redisUrl === '') await checkDataDirectory(config.dataDirectory);
  checkServerOptions(config);
  checkAdoption(config);
  await checkFeatureOptions(config);
}

/** @throws ConfigError */
function checkAdoption({ adoptTokensFrom, adoptTokensAdminToken }: Config): void {
  if ((adoptTokensFrom === '') === (adoptTokensAdminToken === '')) return;
  throw new ConfigError(
    'ADOPT_TOKENS_FROM and ADOPT_TOKENS_ADMIN_TOKEN are needed together: the address of Unleash, and a token that may list its API tokens',
  );
}

/** Checks that the directory can be used, or that it can be created. @throws ConfigError */
async function checkDataDirectory(path: string): Promise<void> {
  const directory = resolve(path);
  const existing = nearestExisting(directory);
  if (!statSync(existing).isDirectory()) throw new ConfigError(`DATA_DIR: ${existing} is not a directory`);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch (error) {
    // Loaded only here, because it loads the packages of the store.
    const { openingAdvice } = await import('../../stores/lmdb/opening-advice.ts');
    const advice = openingAdvice(error, existing) ?? 'Set DATA_DIR to another directory';
    throw new ConfigError(`DATA_DIR: ${(error as Error).message}. ${advice}`);
  }
}

/** The path itself, or its nearest ancestor that exists. */
function nearestExisting(path: string): string {
  if (existsSync(path)) return path;
  const parent = dirname(path);
  return parent === path ? path : nearestExisting(parent);
}
