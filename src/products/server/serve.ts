import { resolve } from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { createLogger, type Logger } from '../../base/logger.ts';
import { ConfigError, type Environment } from '../../base/options.ts';
import { VERSION } from '../../base/version.ts';
import type { Config } from '../../config.ts';
import type { FlagSource } from '../../features/services.ts';
import { ListenError } from '../../http/front/listen-error.ts';
import { DamagedRecordError, UnknownFormatError } from '../../state/stored-schema.ts';
import { MemoryStore } from '../../stores/memory/memory-store.ts';
import { StoreError } from '../../stores/store.ts';
import { stopOnSignal } from '../stop-signals.ts';
import { addressesOf } from './addresses.ts';
import { announceConsole } from './console-notice.ts';
import { chooseStore, redisTarget } from './open-store.ts';
import { readServer } from './read-server.ts';
import { type ServiceParts, startService } from './service.ts';
import { setAside } from './set-aside.ts';
import { missingWayIn } from './way-in.ts';
import { welcome } from './welcome.ts';

/** Errors that prevent a start but are not defects: only their message is printed, without a stack. */
const EXPECTED_ERRORS = [ConfigError, StoreError, ListenError, UnknownFormatError, DamagedRecordError];

/** Reads the environment and serves until a signal stops it. If the start fails, the process ends with a message. */
export async function serve(environment: Environment): Promise<void> {
  await endOnError(() => start(environment));
}

/** A service whose flags come from a source. */
export interface SourcedService {
  /** The command that runs it. */
  readonly name: string;
  readonly config: Config;
  /** Whether its data is stored in the data directory or in Redis. If not, the data is lost when the process ends. */
  readonly isStored: boolean;
  /** The options that are set, by variable, for the log message at the start. Secrets are masked. */
  readonly options: Readonly<Record<string, string>>;
  /** Warnings for the log at the start, about options without effect. */
  readonly notes: readonly string[];
  source(clock: Clock, logger: Logger): FlagSource;
}

/** Like `serve`, for a service whose flags come from a source. `readService` throws a `ConfigError` for invalid options. */
export async function serveSource(
  environment: Environment,
  readService: (environment: Environment) => Promise<SourcedService>,
): Promise<void> {
  await endOnError(async () => {
    const { name, config, isStored, options, notes, source } = await readService(environment);
    const logger = createLogger(config.logLevel, config.logFormat);
    const store: Readonly<Record<string, string>> = isStored ? storeFields(config) : { store: 'memory' };
    const details = { command: name, version: VERSION, node: process.version, ...store };
    logger.info({ ...details, options }, 'burgee starts');
    for (const note of notes) logger.warn(note);
    const chosen = () => chooseStore(config, systemClock, logger);
    const storeAndCopy = isStored ? await chosen() : { store: new MemoryStore(), copy: null };
    const storeAfter = async (unusable: Error) => {
      await setAside(config.dataDirectory, unusable, systemClock.nowMs(), logger);
      return (await chosen()).store;
    };
    const parts = { config, ...storeAndCopy, logger, source: source(systemClock, logger), storeAfter };
    await run(environment, details, parts);
  });
}

async function endOnError(start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    const isExpected = EXPECTED_ERRORS.some((kind) => error instanceof kind);
    const text = error instanceof Error ? (isExpected ? error.message : error.stack) : String(error);
    process.stderr.write(`burgee cannot start: ${text}\n`);
    process.exit(1);
  }
}

async function start(environment: Environment): Promise<void> {
  const { config, options, warnings } = await readServer(environment);
  const logger = createLogger(config.logLevel, config.logFormat);
  for (const warning of warnings) logger.warn(warning);
  const details = { version: VERSION, node: process.version, ...storeFields(config) };
  logger.info({ ...details, options }, 'burgee starts');
  await run(environment, details, { config, ...(await chooseStore(config, systemClock, logger)), logger });
}

/** Serves until a signal stops it. */
async function run(
  environment: Environment,
  details: Readonly<Record<string, string>>,
  parts: Omit<ServiceParts, 'clock' | 'random'>,
): Promise<void> {
  const { config, logger } = parts;
  const service = await startService({ ...parts, clock: systemClock, random: Math.random });
  const isStopping = stopOnSignal(() => service.close(), logger, environment.npm_lifecycle_event === 'start');
  try {
    const firstTokens = await service.started;
    const { port, tlsPort, services } = service;
    const addresses = addressesOf(config, service);
    const hasConsole = (await services.consoleFiles.files) !== null;
    if (firstTokens)
      welcome({ tokens: firstTokens, addresses, hasConsole, dataDirectory: config.dataDirectory }, process.stdout);
    logger.info(
      {
        port,
        ...(tlsPort !== undefined && { tlsPort }),
        front: services.http().front,
        revision: services.state.seq,
        ...details,
      },
      'burgee serves',
    );
    if (parts.source) return;
    const problem = missingWayIn(services);
    if (problem !== null) logger.warn({ console: addresses.console }, problem);
    void announceConsole(services, addresses.console, logger);
  } catch (error) {
    if (!isStopping()) throw error;
  }
}

/** The location of the data, without credentials. */
function storeFields(config: Config): Readonly<Record<string, string>> {
  const directory = resolve(config.dataDirectory);
  if (config.redisUrl === '') return { store: 'embedded', directory };
  const { kind, hosts, database } = redisTarget(config.redisUrl);
  const redis = hosts.map(({ host, port }) => `${host}:${port}`).join(',');
  return { store: `redis (${kind})`, redis: `${redis}/${database}`, keyPrefix: config.redisKeyPrefix, directory };
}
