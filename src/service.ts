import { recover } from './actors/replica.ts';
import { Snapshotter } from './actors/snapshotter.ts';
import { UsageRecorder } from './actors/usage.ts';
import { Writer } from './actors/writer.ts';
import { endpoints } from './api/registry.ts';
import type { Services } from './api/services.ts';
import type { Clock } from './base/clock.ts';
import type { Logger } from './base/logger.ts';
import { BulkService, builtWorkerFile } from './bulk/bulk-service.ts';
import type { Config } from './config.ts';
import { type FirstTokens, initialise } from './first-start.ts';
import { Authenticator } from './http/authentication.ts';
import { HttpServer } from './http/server.ts';
import { ALL } from './model/api-token.ts';
import { State } from './state/state.ts';
import type { Store } from './stores/store.ts';
import { ClientViews } from './views/client/client-views.ts';
import { FlagViews } from './views/flag-views.ts';
import { TokenView } from './views/token-view.ts';

/** What the world outside gives a service. */
export interface ServiceParts {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

export interface RunningService {
  readonly port: number;
  readonly services: Services;
  readonly snapshotter: Snapshotter;
  /** The tokens that were made because there were none; null on every later start. */
  readonly firstTokens: FirstTokens | null;
  /** Stops gracefully: no new connections, requests under way answered, usage written, store closed. */
  close(): Promise<void>;
}

/** Recovers the state, then serves. Resolves when requests are answered from the loaded state; rejects when anything of it is missing. */
export async function startService({ config, store, clock, logger, random }: ServiceParts): Promise<RunningService> {
  const opening = await store.open();
  const replica = await recover(store, opening, new State(), logger);
  const { state } = replica;
  const tokens = new TokenView(state, clock);
  const clientViews = new ClientViews(state);
  const flagViews = new FlagViews(state);
  const bulk = new BulkService(builtWorkerFile());
  tokens.onReleased((scope) => clientViews.release(scope));
  replica.onApplied((applied) => {
    tokens.apply(applied);
    clientViews.apply(applied);
    flagViews.apply(applied);
  });
  const writer = new Writer(replica, store, clock, logger);
  const snapshotter = new Snapshotter(replica, store, logger, opening.firstSeq - 1, {
    everyCommits: config.snapshotEveryCommits,
  });
  const usage = new UsageRecorder(tokens, writer, clock, logger);
  const anonymousScope = tokens.scope('development', [ALL]);
  const anonymousClient =
    config.authType === 'none' ? { author: { id: 0, name: 'anonymous' }, token: null, scope: anonymousScope } : null;
  const services: Services = {
    config,
    clock,
    state,
    replica,
    writer,
    store,
    tokens,
    clientViews,
    flagViews,
    bulk,
    random,
    ready: () => !server.draining,
  };
  const server = new HttpServer(
    endpoints,
    services,
    new Authenticator(tokens, { anonymousClient }),
    logger,
    serverOptions(config),
  );
  // The port before the first tokens: they are shown once, which must not be by a process that cannot serve. Requests are told 503 until
  // the tokens that the environment names exist; told 401, SDKs would stop polling for good.
  const port = await server.listen();
  const firstTokens = await initialise(writer, config, logger);
  server.open();
  return {
    port,
    services,
    snapshotter,
    firstTokens,
    async close() {
      await server.close();
      await bulk.close();
      await usage.close();
      await writer.close();
      await snapshotter.close();
      await store.close();
    },
  };
}

function serverOptions(config: Config) {
  return {
    host: config.host,
    port: config.port,
    sharePort: config.sharePort,
    basePath: config.basePath,
    frontendOrigins: config.frontendOrigins,
    bodyLimitBytes: config.bodyLimitBytes,
    importBodyLimitBytes: config.importBodyLimitBytes,
    handlerDeadlineMs: config.handlerDeadlineMs,
    drainMs: config.gracefulShutdownTimeoutMs,
  };
}
