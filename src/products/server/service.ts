import { randomUUID } from 'node:crypto';
import { builtWorker } from '../../base/built-worker.ts';
import { type Clock, DAY_MS } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { ConfigError } from '../../base/options.ts';
import type { Config } from '../../config.ts';
import { AppendGate } from '../../engine/append-gate.ts';
import type { LocalCopy } from '../../engine/local-copy.ts';
import { Membership } from '../../engine/membership.ts';
import { Replica, recover } from '../../engine/replica.ts';
import { Snapshotter } from '../../engine/snapshotter.ts';
import { storeClock } from '../../engine/store-clock.ts';
import { WriteRefusals } from '../../engine/write-refusals.ts';
import { Writer } from '../../engine/writer.ts';
import type { WorkerOptions } from '../../features/bulk/protocol.ts';
import { BULK_WORKER, BulkService } from '../../features/bulk/service.ts';
import { Scheduler } from '../../features/change-requests/scheduler.ts';
import { EventIndex } from '../../features/events/event-index.ts';
import { TrailKeeper } from '../../features/events/log-keeper.ts';
import { EventSearch } from '../../features/events/search.ts';
import { StaleMarker } from '../../features/flags/stale/marker.ts';
import { GUARDS } from '../../features/guards.ts';
import { Backups } from '../../features/instance/backups/backups.ts';
import { UiErrors } from '../../features/instance/ui-errors.ts';
import { ProjectActivity } from '../../features/projects/activity.ts';
import type { Services } from '../../features/services.ts';
import { LoginGuard } from '../../features/sign-on/login-guard.ts';
import { Passwords } from '../../features/sign-on/passwords/hashing.ts';
import { SignOn } from '../../features/sign-on/providers/sign-on.ts';
import type { Source } from '../../features/source.ts';
import { UsageRecorder, type UsedByUsers } from '../../features/tokens/use-recorder.ts';
import { CounterRecorder } from '../../features/usage/counter-recorder.ts';
import { deriveViews, type Views } from '../../features/views.ts';
import { Authenticator } from '../../http/authentication.ts';
import { HttpServer } from '../../http/server.ts';
import { ALL } from '../../model/api-token.ts';
import { type Caller, NOBODY } from '../../model/caller.ts';
import { State } from '../../state/state.ts';
import { isShared, type SharedStore } from '../../stores/shared-store.ts';
import type { Store } from '../../stores/store.ts';
import type { TokenView } from '../../views/token-view.ts';
import { type FirstSecrets, type FirstTokens, initialise, makeFirstSecrets } from './first-start.ts';
import { STORE_OPEN_MS } from './open-store.ts';
import { serverOptions } from './server-options.ts';
import { checkStoreOwner } from './store-owner.ts';
import { useParts } from './use-parts.ts';

/** What the world outside gives a service. */
export interface ServiceParts {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** With a shared store: the state as it was last saved on this machine, if it was. */
  readonly copy?: LocalCopy | null;
  /** Where the flags come from, if they are not the service's own. */
  readonly source?: Source;
}

export interface RunningService {
  readonly port: number;
  /** Where HTTPS is served, if it is. */
  readonly tlsPort: number | undefined;
  readonly services: Services;
  readonly snapshotter: Snapshotter;
  /**
   * Resolves when the service stands at the tip of its store, with the tokens that were made because there were none; null on every later
   * start. With a shared store that may take until the store is there. Rejects when waiting will not help.
   */
  readonly started: Promise<FirstTokens | null>;
  /** Stops gracefully: no new connections, requests under way answered, usage written, store closed. */
  close(): Promise<void>;
}

/** How long a start waits for a shared store before it serves from the local copy. */
const STORE_PATIENCE_MS = 1_000;
/** Between two tries to write the first content of a shared store. */
const INITIALISE_RETRY_MS = 200;

/**
 * Serves, once the state is there. With a store of its own the service resolves when requests are answered from the recovered state, and
 * rejects when anything of it is missing. With a shared store it resolves when it listens: see `started`.
 */
export async function startService(parts: ServiceParts): Promise<RunningService> {
  const { config, store, clock, logger, random, source } = parts;
  const { replica, firstSeq, residue } = await openReplica(parts);
  const { state } = replica;
  const views = deriveViews(replica, clock, () => use.flagUse, logger, { ...config, ...hashingOf(parts) });
  const bulk = new BulkService(builtWorker(BULK_WORKER), hashingOf(parts));
  const obstacle = () => membership?.obstacle() ?? null;
  const refusals: WriteRefusals = new WriteRefusals({ store, clock, logger, obstacle });
  const gate = new AppendGate(store, replica, refusals);
  const writer = new Writer(replica, gate, storeClock(store, clock), logger, { guards: GUARDS, limits: config.limits });
  const snapshotting = { everyCommits: config.snapshotEveryCommits, residue };
  const snapshotter = new Snapshotter(replica, store, logger, firstSeq - 1, snapshotting);
  const counts = new CounterRecorder(store.counters, clock, logger, { recorder: randomUUID() });
  const loginGuard = new LoginGuard(store.counters, counts, clock, logger);
  const usage = new UsageRecorder(views.tokens, writer, clock, logger, usedByUsers(views, loginGuard));
  const use: ReturnType<typeof useParts> = useParts(parts, { replica, writer, counts });
  const eventIndex = new EventIndex(replica, store, logger);
  const membership: Membership | null = isShared(store) ? joinable(parts, store, replica, gate) : null;
  const trailKeeper = keeperOf(parts, replica, eventIndex);
  const scheduler = new Scheduler({ replica, writer, clock: storeClock(store, clock), logger });
  const staleMarker = new StaleMarker({ state, writer, clock, logger, everyMs: config.staleCheckEveryMs });
  const services: Services = {
    config,
    clock,
    state,
    replica,
    writer,
    store,
    membership,
    refusals,
    ...views,
    eventIndex,
    projectActivity: new ProjectActivity(eventIndex),
    eventSearch: new EventSearch({ index: eventIndex, pool: bulk.pool }),
    trailKeeper,
    bulk,
    passwords: new Passwords(),
    loginGuard,
    counts,
    ...use,
    backups: new Backups(replica, store, { directory: config.dataDirectory }),
    signOn: new SignOn(config, logger),
    uiErrors: new UiErrors(logger, clock),
    random,
    snapshotter,
    http: () => server,
    ready: () => server.isOpen && !server.draining,
  };
  const authenticator = authenticatorOf(config, views, state, membership);
  const { endpoints: routes, waits } = source ?? { ...(await import('../../features/registry.ts')), waits: undefined };
  const server = new HttpServer(routes, services, authenticator, logger, { ...serverOptions(services), waits });
  // The port before the first tokens: they are shown once, which must not be by a process that cannot serve. Requests are told 503 until
  // the tokens that the environment names exist; told 401, SDKs would stop polling for good.
  const port = await server.listen();
  const closing = new AbortController();
  const start = { parts, services, server, isClosing: () => closing.signal.aborted };
  const started = membership ? startShared(start, membership) : startAlone(start);
  if (!membership) await started;
  // What a source tells ages there, and is changed there.
  const own = source ? [] : [staleMarker, scheduler];
  startAfter(started, [snapshotter, eventIndex, refusals, trailKeeper, ...own, use.flagUse, use.propagation]);
  const close = async () => {
    closing.abort();
    await server.close();
    await source?.close();
    await Promise.all([bulk.close(), services.signOn.close(), refusals.close(), staleMarker.close()]);
    await closeActors({ ...services, started, usage, scheduler });
  };
  return { port, tlsPort: server.tlsPort, services, snapshotter, started, close };
}

function startAfter(started: Promise<unknown>, actors: readonly { start(): void }[]): void {
  const start = () => {
    for (const actor of actors) actor.start();
  };
  // Whoever started the service may look at what became of it later.
  started.then(start, () => {});
}

function authenticatorOf(
  config: Config,
  { tokens, userCredentials }: Views,
  reader: State,
  membership: Membership | null,
): Authenticator {
  return new Authenticator(tokens, {
    reader,
    anonymousClient: anonymousClient(config, tokens),
    users: userCredentials,
    ownOrigin: config.serviceUrl === '' ? '' : new URL(config.serviceUrl).origin,
    mayLackTokens: () => membership?.mayBeBehind ?? false,
    backstageToken: config.backstageToken,
  });
}

function usedByUsers({ userCredentials }: Views, guard: LoginGuard): UsedByUsers {
  return {
    takeSeen: () => userCredentials.takeSeen(),
    token: (stored) => userCredentials.token(stored),
    takeWrong: () => guard.takeWrong(),
  };
}

interface ClosingActors {
  readonly store: Store;
  readonly counts: CounterRecorder;
  readonly useRecorder: Services['useRecorder'];
  readonly flagUse: Services['flagUse'];
  readonly propagation: Services['propagation'];
  readonly loopDelay: Services['loopDelay'];
  readonly membership: Membership | null;
  readonly started: Promise<unknown>;
  readonly usage: UsageRecorder;
  readonly eventIndex: EventIndex;
  readonly trailKeeper: TrailKeeper;
  readonly scheduler: Scheduler;
  readonly writer: Writer;
  readonly snapshotter: Snapshotter;
}

/** What is on its way is made durable first, the store is closed last. */
async function closeActors(actors: ClosingActors): Promise<void> {
  const { store, membership, started, usage, writer, snapshotter, eventIndex, trailKeeper, counts } = actors;
  // What they wait for ends with the store.
  actors.loopDelay.close();
  const indexing = Promise.all([eventIndex.close(), trailKeeper.close(), actors.flagUse.close()]);
  if (membership && !membership.follower.joined) {
    // Nothing waits for the store any longer.
    await membership.close();
    await store.close();
    await started.catch(() => {});
  }
  await usage.close();
  await Promise.all([actors.useRecorder.close(), actors.propagation.close()]);
  await counts.close();
  const scheduling = actors.scheduler.close();
  await writer.close();
  await scheduling;
  const snapshotting = snapshotter.close();
  // A shared store's lease may be another replica's for long: this one's snapshot ends with its store.
  if (!membership) await snapshotting;
  await membership?.close();
  await store.close();
  await snapshotting;
  await indexing;
}

interface Start {
  readonly parts: ServiceParts;
  readonly services: Services;
  readonly server: HttpServer<Services>;
  readonly isClosing: () => boolean;
}

async function startAlone(start: Start): Promise<FirstTokens | null> {
  const { parts, services, server } = start;
  if (parts.source) await parts.source.begin(services);
  const firstTokens = parts.source ? null : await initialiseAlone(start);
  await services.snapshotter.eraseSecrets();
  server.open();
  return firstTokens;
}

/** Waits for the store as long as it takes. Serves from the local copy meanwhile, if there is one that holds a flag: an empty list is no answer in its place. */
async function startShared(start: Start, membership: Membership): Promise<FirstTokens | null> {
  const { parts, services, server, isClosing } = start;
  const { state } = services;
  const { copy, clock, logger } = parts;
  server.openOperational();
  const joining = membership.join();
  let hasBegun = false;
  const beginSource = async () => {
    checkStoreOwner(state, parts.source !== undefined);
    if (parts.source && !hasBegun) await parts.source.begin(services);
    hasBegun = true;
  };
  if (copy && !state.values('features').next().done) {
    await Promise.race([joining, clock.sleep(STORE_PATIENCE_MS)]);
    if (!membership.follower.joined && !isClosing()) {
      logger.warn({ seq: state.seq, savedAt: copy.savedAt }, 'the store is away: serving the local copy');
      await beginSource();
      server.open();
    }
  }
  await joining;
  await beginSource();
  const firstTokens = parts.source ? null : await initialiseShared(start);
  server.open();
  return firstTokens;
}

/** With a store of its own: recovered from it. With a shared one: as far as the local copy goes, to be brought up to date. */
/** Callers of a server are answered as by Unleash's server, those of a relay as by Edge. */
function hashingOf({ source }: ServiceParts): WorkerOptions {
  return { hashedBytes: source ? 'utf-8' : 'low-bytes' };
}

async function openReplica({ store, copy, logger, source }: ServiceParts) {
  if (isShared(store)) {
    return {
      replica: new Replica(copy?.state ?? new State(), store, { secretDroppedSeq: copy?.secretDroppedSeq ?? 0 }),
      firstSeq: 1 + (copy?.state.seq ?? 0),
      residue: false,
    };
  }
  const opening = await store.open();
  const { firstSeq, residue = false } = opening;
  const replica = await recover(store, opening, new State(), logger);
  try {
    checkStoreOwner(replica.state, source !== undefined);
  } catch (error) {
    await store.close();
    throw error;
  }
  return { replica, firstSeq, residue };
}

function joinable(
  { config, clock, logger, copy = null }: ServiceParts,
  store: SharedStore,
  replica: Replica,
  gate: AppendGate,
): Membership {
  return new Membership({
    replica,
    store,
    gate,
    clock,
    logger,
    copy,
    dataDirectory: config.dataDirectory,
    onLoss: config.redisOnLoss,
    localCopyEveryMs: config.localCopyEveryMs,
    openMs: STORE_OPEN_MS,
  });
}

function keeperOf({ config, store, clock, logger }: ServiceParts, replica: Replica, index: EventIndex): TrailKeeper {
  const { eventsKeepMax: eventsMax, eventsKeepBytes: bytesMax, eventsKeepDays, eventsTrimEveryMs: everyMs } = config;
  const bounds = { eventsMax, bytesMax, ageMaxMs: eventsKeepDays * DAY_MS };
  return new TrailKeeper({ replica, store, index, clock, logger, bounds, everyMs });
}

async function initialiseAlone({ parts: { config, logger }, services }: Start): Promise<FirstTokens | null> {
  return initialise(services, await makeFirstSecrets(services, config, logger), config, logger);
}

/** As `initialise`, again while the store cannot be written to. @throws ConfigError */
async function initialiseShared({ parts, services, isClosing }: Start): Promise<FirstTokens | null> {
  const { config, clock, logger } = parts;
  let secrets: FirstSecrets | undefined;
  for (;;) {
    try {
      secrets ??= await makeFirstSecrets(services, config, logger);
      return await initialise(services, secrets, config, logger);
    } catch (error) {
      if (error instanceof ConfigError || isClosing()) throw error;
      logger.warn({ err: error }, 'the first content cannot be written yet');
      await clock.sleep(INITIALISE_RETRY_MS);
    }
  }
}

function anonymousClient(config: Config, tokens: TokenView): Caller | null {
  const scope = tokens.scope('development', [ALL]);
  return config.authType === 'none' ? { ...NOBODY, kind: 'client', scope } : null;
}
