import { systemClock } from './base/clock.ts';
import { createLogger, type Logger } from './base/logger.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import type { FirstTokens } from './first-start.ts';
import { ListenError } from './http/server.ts';
import { type RunningService, startService } from './service.ts';
import { LmdbStore } from './stores/lmdb/lmdb-store.ts';
import { StoreError } from './stores/store.ts';

/** Burgee's process: reads the environment, serves until it is told to stop. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config.logLevel);
  const store = new LmdbStore({ directory: config.dataDirectory, logger });
  const service = await startService({ config, store, clock: systemClock, logger, random: Math.random });
  if (service.firstTokens) process.stdout.write(welcome(service.firstTokens, service.port, config));
  logger.info({ port: service.port, revision: service.services.state.seq }, 'burgee serves');
  stopOnSignals(service, logger);
}

function stopOnSignals(service: RunningService, logger: Logger): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    logger.info(`stopping on ${signal}`);
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.fatal({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** Shown once, when the first tokens were made. Each block works when pasted. */
function welcome(tokens: FirstTokens, port: number, config: Config): string {
  const url = config.serviceUrl.replace(/\/+$/, '') || `http://localhost:${port}${config.basePath}`;
  return `
Burgee made its first tokens. This is the only time they are shown.

  admin     ${tokens.admin}
  client    ${tokens.client}
  frontend  ${tokens.frontend}

Create a flag and switch it on:

curl -sS -X POST '${url}/api/admin/projects/default/features' -H 'authorization: ${tokens.admin}' -H 'content-type: application/json' -d '{"name":"hello"}' && curl -sS -X POST '${url}/api/admin/projects/default/features/hello/environments/development/on' -H 'authorization: ${tokens.admin}'

See it from an SDK (npm install unleash-client, then paste into a file ending in .mjs):

import { initialize } from 'unleash-client';
const unleash = initialize({ url: '${url}/api', appName: 'hello', customHeaders: { Authorization: '${tokens.client}' } });
unleash.on('synchronized', () => console.log('hello is', unleash.isEnabled('hello') ? 'on' : 'off'));

`;
}

main().catch((error: unknown) => {
  const forPeople = error instanceof ConfigError || error instanceof StoreError || error instanceof ListenError;
  process.stderr.write(
    `burgee cannot start: ${forPeople ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
});
