import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { ConfigError } from '../../base/options.ts';
import type { Config } from '../../config.ts';
import { AppendGate } from '../../engine/append-gate.ts';
import { Components } from '../../engine/components.ts';
import type { LocalCopy } from '../../engine/local-copy.ts';
import { Membership } from '../../engine/membership.ts';
import { Replica, recover } from '../../engine/replica.ts';
import { Snapshotter } from '../../engine/snapshotter.ts';
import { storeClock } from '../../engine/store-clock.ts';
import { WriteRefusals } from '../../engine/write-refusals.ts';
import { Writer } from '../../engine/writer.ts';
import type { HashEncoding } from '../../evaluation/hashing.ts';
import { loadGuards } from '../../features/guards.ts';
import { makeParts } from '../../features/modules.ts';
import type { FeatureParts, FlagSource, Services } from '../../features/services.ts';
import { Authenticator } from '../../http/authentication.ts';
import { RevisionWaits } from '../../http/min-revision.ts';
import { HttpServer } from '../../http/server.ts';
import { ALL } from '../../model/api-token.ts';
import { type Caller, NOBODY } from '../../model/caller.ts';
import { State } from '../../state/state.ts';
import { isShared, type SharedStore } from '../../stores/shared-store.ts';
import type { Store } from '../../stores/store.ts';
import type { TokenView } from '../../views/token-view.ts';
import { deriveViews } from '../../views/views.ts';
import { type FirstSecrets, type FirstTokens, initialise, makeFirstSecrets, startChangesOf } from './first-start.ts';
import { STORE_OPEN_MS } from './open-store.ts';
import { frontNotice, revisionSource, serverOptions } from './server-options.ts';
import { isUnusableData } from './set-aside.ts';
import type { StartChanges } from './start-changes.ts';
import { checkStoreOwner } from './store-owner.ts';
import type { TokenAdoption } from './token-adoption.ts';

/** The parts that the caller of `startService` supplies. */
export interface ServiceParts {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns a random number, uniformly distributed in [0, 1). */
  readonly random: () => number;
  /** Parts of features that replace the usual ones. */
  readonly parts?: Partial<FeatureParts>;
  /** Only for a shared store: the state that was last saved on this machine; null when none was saved. */
  readonly copy?: LocalCopy | null;
  /** The source of the flags; undefined when the flags are the service's own. */
  readonly source?: FlagSource;
  /**
   * Only if the source can fetch everything again: sets aside the data that cannot be used, and returns an empty store in its place. Called at most
   * once, with the store closed.
   */
  readonly storeAfter?: (unusable: Error) => Promise<Store>;
}

export interface RunningService {
  readonly port: number;
  /** The port for HTTPS; undefined when HTTPS is off. */
  readonly tlsPort: number | undefined;
  readonly services: Services;
  readonly snapshotter: Snapshotter;
  /**
   * Resolves when the state contains all commits of the store and the first content is written. The value is the generated tokens if this start
   * generated them, otherwise null. With a shared store, this may take until the store is available. Rejects if waiting cannot solve the problem.
   */
  readonly started: Promise<FirstTokens | null>;
  /** Stops gracefully: refuses new connections, answers running requests, writes the usage, and closes the store. */
  close(): Promise<void>;
}

/** How long a start waits for a shared store before it serves from the local copy. */
const STORE_PATIENCE_MS = 1_000;
/** Interval between two tries to write the first content of a shared store. */
const INITIALISE_RETRY_MS = 200;

/**
 * Starts a service. With a store of its own, it resolves when requests are answered from the recovered state, and rejects when any part of the state
 * is missing. With a shared store, it resolves when the service listens; `started` resolves later.
 */
export async function startService(parts: ServiceParts): Promise<RunningService> {
  const { source, logger } = parts;
  const changes = source ? null : await startChangesOf(parts.config);
  const components = new Components();
  const services = await makeServices(parts, components, () => server);
  const { membership, snapshotter } = services;
  const { endpoints: routes, waits } = source ?? { ...(await import('../../features/registry.ts')), waits: undefined };
  const common = serverOptions(services);
  const adoption = services.tokenAdoption?.waits(services.revisionWaits) ?? services.revisionWaits;
  const options = { ...common, waits: waits ?? adoption };
  const server: HttpServer<Services> = new HttpServer(routes, services, authenticatorOf(services), logger, options);
  // The port is opened before the first tokens are created: they are shown only once, and a process that cannot serve must not show them. Requests
  // are answered with 503 until the tokens from the environment exist: after an answer of 401, SDKs would stop polling permanently.
  const port = await server.listen();
  const notice = frontNotice(options.front);
  if (notice !== undefined) logger.warn(notice);
  const closing = new AbortController();
  const start = { parts, services, server, changes, isClosing: () => closing.signal.aborted };
  const started = membership ? startShared(start, membership) : startAlone(start);
  if (!membership) await started;
  components.add({ name: 'start', dependsOn: components.names, close: () => endStart(services, started) });
  if (source) components.add({ name: 'source', dependsOn: ['start'], close: () => source.close() });
  components.add({ name: 'server', dependsOn: components.names, close: () => server.close() });
  started.then(
    () => components.start(),
    // The caller of `startService` handles this error.
    () => {},
  );
  const close = () => {
    closing.abort();
    return components.close();
  };
  return { port, tlsPort: server.tlsPort, services, snapshotter, started, close };
}

/** Creates the services that every feature uses, and the long-lived parts of all features. */
async function makeServices(
  parts: ServiceParts,
  components: Components,
  server: () => HttpServer<Services>,
): Promise<Services> {
  const { config, clock, logger, random, source } = parts;
  const { store, replica, firstSeq, hasResidue } = await openReplica(parts);
  const { state } = replica;
  // A server gives the same answers as Unleash's server, and a relay gives the same answers as Edge.
  const hashEncoding: HashEncoding = source ? 'utf-8' : 'low-bytes';
  const views = deriveViews(replica, clock, logger, {
    deltaCommits: config.deltaCommits,
    hashEncoding,
    defaultFetchMode: config.fetchMode === 'as-configured' ? undefined : config.fetchMode,
    evaluationLimitUs: config.limits.evaluationCost,
  });
  const obstacle = () => membership?.obstacle() ?? null;
  const refusals: WriteRefusals = new WriteRefusals({ store, clock, logger, obstacle });
  const gate = new AppendGate(store, replica, refusals);
  const writer = new Writer(replica, gate, storeClock(store, clock), logger, {
    guards: await loadGuards(),
    limits: config.limits,
  });
  const snapshotterOptions = { everyCommits: config.snapshotEveryCommits, hasResidue };
  const snapshotter = new Snapshotter(replica, store, logger, firstSeq - 1, snapshotterOptions);
  const membership: Membership | null = isShared(store) ? createMembership(parts, store, replica, gate) : null;
  components.add({ name: 'store', close: () => store.close() });
  components.add({ name: 'refusals', start: () => refusals.start(), close: () => refusals.close() });
  // With a shared store, another replica may have the lease for a long time. So closing the store does not wait for this replica's snapshot, but ends
  // it.
  const snapshots = { name: 'snapshots', dependsOn: membership ? [] : ['store'] };
  components.add({ ...snapshots, start: () => snapshotter.start(), close: () => snapshotter.close() });
  components.add({ name: 'membership', dependsOn: ['store'], close: () => membership?.close() });
  components.add({ name: 'writer', dependsOn: ['snapshots', 'membership'], close: () => writer.close() });
  const services = {
    config,
    clock,
    logger,
    random,
    store,
    state,
    replica,
    writer,
    membership,
    refusals,
    snapshotter,
    components,
    ...views,
    hashEncoding,
    source,
    revisionWaits: membership ? new RevisionWaits(revisionSource(replica, config.minRevisionWaitMs)) : undefined,
    replacements: { ...source?.parts, ...parts.parts },
    tokenAdoption: source ? undefined : await makeAdoption({ config, writer, clock, logger }, components),
    describedRoutes: async () => (await import('../../features/registry.ts')).FEATURE_HTTP,
    http: server,
    ready: () => server().isOpen && !server().draining,
  };
  const featureParts: FeatureParts = await makeParts(services as unknown as Services);
  return Object.assign(services, featureParts);
}

/** The adoption of tokens, if an option asks for it; loaded only then. */
async function makeAdoption(
  parts: Pick<Services, 'config' | 'writer' | 'clock' | 'logger'>,
  components: Components,
): Promise<TokenAdoption | undefined> {
  if (parts.config.adoptTokensFrom === '') return undefined;
  const adoption = new (await import('./token-adoption.ts')).TokenAdoption(parts);
  components.add({ name: 'adoption of tokens', dependsOn: ['writer'], close: () => adoption.close() });
  return adoption;
}

/** If the start still waits for a shared store, ends this wait and closes the store. */
async function endStart({ membership, store }: Services, started: Promise<unknown>): Promise<void> {
  if (!membership || membership.follower.hasJoined) return;
  await membership.close();
  await store.close();
  await started.catch(() => {});
}

function authenticatorOf({ config, tokens, userCredentials, state, membership }: Services): Authenticator {
  return new Authenticator(tokens, {
    reader: state,
    anonymousClient: anonymousClient(config, tokens),
    users: userCredentials,
    ownOrigin: config.serviceUrl === '' ? '' : new URL(config.serviceUrl).origin,
    mayLackTokens: () => membership?.mayBeBehind ?? false,
    backstageToken: config.backstageToken,
  });
}

interface StartContext {
  readonly parts: ServiceParts;
  readonly services: Services;
  readonly server: HttpServer<Services>;
  /** Null if the environment asks for no changes. */
  readonly changes: StartChanges | null;
  readonly isClosing: () => boolean;
}

async function startAlone(start: StartContext): Promise<FirstTokens | null> {
  const { parts, services, server } = start;
  if (parts.source) await parts.source.begin(services);
  const firstTokens = parts.source ? null : await initialiseAlone(start);
  await services.snapshotter.eraseSecrets();
  server.open();
  return firstTokens;
}

/**
 * Waits for the store without a time limit. Meanwhile it serves from the local copy, if the copy contains at least one flag: an empty list would be a
 * wrong answer.
 */
async function startShared(start: StartContext, membership: Membership): Promise<FirstTokens | null> {
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
    if (!membership.follower.hasJoined && !isClosing()) {
      logger.warn(
        { seq: state.seq, savedAt: copy.savedAt },
        'the store is not available: serving the local copy until it is',
      );
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

/** With a store of its own: the state recovered from it. With a shared store: the state of the local copy, which is updated later. */
async function openReplica({ store, copy, logger, source, storeAfter }: ServiceParts) {
  if (isShared(store)) {
    return {
      store,
      replica: new Replica(copy?.state ?? new State(), store, { secretDroppedSeq: copy?.secretDroppedSeq ?? 0 }),
      firstSeq: 1 + (copy?.state.seq ?? 0),
      hasResidue: false,
    };
  }
  try {
    return await openOwn(store, source, logger);
  } catch (error) {
    if (!storeAfter || !isUnusableData(error)) throw error;
    return await openOwn(await storeAfter(error as Error), source, logger);
  }
}

async function openOwn(store: Store, source: FlagSource | undefined, logger: Logger) {
  try {
    const opening = await store.open();
    const { firstSeq, hasResidue = false } = opening;
    const replica = await recover(store, opening, new State(), logger);
    checkStoreOwner(replica.state, source !== undefined);
    return { store, replica, firstSeq, hasResidue };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function createMembership(
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

async function initialiseAlone({ parts, services, changes }: StartContext): Promise<FirstTokens | null> {
  const { config, logger } = parts;
  return initialise(services, { secrets: await makeFirstSecrets(services, config, logger), changes }, config, logger);
}

/** Like `initialise`, but tries again while the store cannot be written to. @throws ConfigError */
async function initialiseShared({ parts, services, changes, isClosing }: StartContext): Promise<FirstTokens | null> {
  const { config, clock, logger } = parts;
  let secrets: FirstSecrets | undefined;
  for (;;) {
    try {
      secrets ??= await makeFirstSecrets(services, config, logger);
      return await initialise(services, { secrets, changes }, config, logger);
    } catch (error) {
      if (error instanceof ConfigError || isClosing()) throw error;
      logger.warn({ err: error }, 'the first content of the store cannot be written yet; trying again');
      await clock.sleep(INITIALISE_RETRY_MS);
    }
  }
}

function anonymousClient(config: Config, tokens: TokenView): Caller | null {
  const scope = tokens.scope('development', [ALL]);
  return config.authType === 'none' ? { ...NOBODY, kind: 'client', scope } : null;
}
