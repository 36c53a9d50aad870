import { systemClock } from './base/clock.ts';
import { createLogger } from './base/logger.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import type { FirstTokens } from './first-start.ts';
import { ListenError } from './http/server.ts';
import { chooseStore } from './open-store.ts';
import { startService } from './service.ts';
import { DamagedRecordError, UnknownFormatError } from './state/stored-schema.ts';
import { stopWhenAsked } from './stop-signals.ts';
import { StoreError } from './stores/store.ts';

/** What keeps a service from starting and is no defect: the message is enough. */
const FOR_PEOPLE = [ConfigError, StoreError, ListenError, UnknownFormatError, DamagedRecordError];

/** Burgee's process: reads the environment, serves until it is told to stop. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config.logLevel);
  const { store, copy } = await chooseStore(config, systemClock, logger);
  const service = await startService({ config, store, copy, clock: systemClock, logger, random: Math.random });
  const isStopping = stopWhenAsked(() => service.close(), logger, process.env.npm_lifecycle_event === 'start');
  try {
    const firstTokens = await service.started;
    if (firstTokens) process.stdout.write(welcome(firstTokens, service.port, config));
    logger.info({ port: service.port, revision: service.services.state.seq }, 'burgee serves');
  } catch (error) {
    if (!isStopping()) throw error;
  }
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
  const isForPeople = FOR_PEOPLE.some((kind) => error instanceof kind);
  const text = error instanceof Error ? (isForPeople ? error.message : error.stack) : String(error);
  process.stderr.write(`burgee cannot start: ${text}\n`);
  process.exit(1);
});
