import { systemClock } from './base/clock.ts';
import { createLogger } from './base/logger.ts';
import { ConfigError, type Environment, readOptions } from './base/options.ts';
import { VERSION } from './base/version.ts';
import { readConfig } from './config.ts';
import { OFFLINE_OPTIONS } from './offline/offline-options.ts';
import { OfflineSource } from './offline/offline-source.ts';
import { offlineTokens } from './offline/offline-tokens.ts';
import { startOrExplain } from './serve.ts';
import { startService } from './service.ts';
import { stopWhenAsked } from './stop-signals.ts';
import { MemoryStore } from './stores/memory/memory-store.ts';

/** Serves the flags of a file until it is told to stop. Nothing is kept. */
export function serveOffline(environment: Environment): Promise<void> {
  return startOrExplain(async () => {
    const config = readConfig(environment);
    const options = readOptions(OFFLINE_OPTIONS, environment);
    const { bootstrapFile } = options;
    if (bootstrapFile === '')
      throw new ConfigError('say which file holds the flags: --bootstrap-file FILE, or BOOTSTRAP_FILE');
    const tokens = offlineTokens(options);
    if (tokens.length === 0)
      throw new ConfigError(
        'say with which tokens SDKs may call: --client-tokens and --frontend-tokens, or CLIENT_TOKENS and FRONTEND_TOKENS; any text will do, for example --client-tokens dev',
      );
    const logger = createLogger(config.logLevel, config.logFormat);
    const reloadIntervalMs = options.reloadIntervalS * 1_000;
    const source = new OfflineSource({ bootstrapFile, tokens, reloadIntervalMs, logger });
    const parts = { config, store: new MemoryStore(), clock: systemClock, logger, random: Math.random, source };
    const service = await startService(parts);
    stopWhenAsked(() => service.close(), logger, environment.npm_lifecycle_event === 'start');
    logger.info({ port: service.port, version: VERSION, node: process.version, store: 'memory' }, 'burgee serves');
  });
}
