import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { readConfig } from '../../src/config.ts';
import { endpoints } from '../../src/features/registry.ts';
import type { Services } from '../../src/features/services.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import type { Feature } from '../../src/model/feature.ts';
import { type RunningService, startService } from '../../src/products/server/service.ts';
import { MemoryStore } from '../../src/stores/memory/memory-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, seed } from './service.ts';

/** The whole service in this process, so that its parts can be called without a transport. The store is in memory unless another one is passed. */
export async function startInProcess(
  features: readonly Feature[],
  store: Store = new MemoryStore(),
): Promise<RunningService> {
  const config = readConfig({
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: '0',
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    INIT_CLIENT_API_TOKENS: CLIENT_TOKEN,
    INIT_FRONTEND_API_TOKENS: FRONTEND_TOKEN,
  });
  const running = await startService({ config, store, clock: systemClock, logger: silentLogger, random: Math.random });
  await seed(running.services.writer, features);
  return running;
}

/** The operation's endpoint, from the service's own registry. @throws Error when there is none */
export function operation(operationId: string): Endpoint<Services> {
  const found = endpoints.find((endpoint) => endpoint.operationId === operationId);
  if (found?.kind !== 'handled') throw new Error(`there is no operation ${operationId}`);
  return found;
}
