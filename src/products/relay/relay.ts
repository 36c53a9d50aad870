import { assert } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Rejection } from '../../base/rejection.ts';
import type { ImpactMetric } from '../../features/impact-metrics/impact-metrics.ts';
import { edgeEndpoints } from '../../features/instance/operations/edge-routes.ts';
import { gaugeEndpointsWith } from '../../features/instance/operations/prometheus-page.ts';
import { sdkEndpoints } from '../../features/relayed-registry.ts';
import type { FeatureParts, FlagSource, Services, TokenAuthority } from '../../features/services.ts';
import { FlagStats } from '../../features/usage/flag-stats.ts';
import { frontendReportEndpoints } from '../../features/usage/reports/frontend-routes.ts';
import { reportEndpoints } from '../../features/usage/reports/routes.ts';
import type { AnyEndpoint } from '../../http/endpoint.ts';
import { createRegistry } from '../../http/registry.ts';
import type { RequestWaits, WaitingHead } from '../../http/request-waits.ts';
import type { Caller } from '../../model/caller.ts';
import { scopeOf } from '../../model/project-list.ts';
import { MemoryStore } from '../../stores/memory/memory-store.ts';
import { AcceptedTokens } from './accepted-tokens.ts';
import { AnswerMemory } from './answer-memory.ts';
import { type BackstageSource, backstageEndpoints } from './backstage.ts';
import { seedFromEdge } from './edge-seed.ts';
import { Gate } from './gate.ts';
import { MirrorQueue } from './mirror-queue.ts';
import { relayGauges } from './relay-gauges.ts';
import type { RelayOptions } from './relay-options.ts';
import { type UpstreamStatus, upstreamStatus } from './relay-status.ts';
import { type BulkApplication, type BulkUse, ReportBox, type Via } from './report-box.ts';
import { ReportSender } from './report-sender.ts';
import type { ScopeFollower } from './scope-follower.ts';
import { ScopeKeeper } from './scope-keeper.ts';
import { TokenKeeper } from './token-keeper.ts';
import { UnsentFile } from './unsent-file.ts';
import { Upstream } from './upstream.ts';

const NOT_HYDRATED = 'The flags of the tokens in TOKENS have not been received from upstream yet.';
const NO_TOKEN_KNOWN =
  'Upstream knows none of the tokens in TOKENS as a client token, so no flags are served: compare TOKENS with the tokens in upstream.';

interface StartedParts {
  readonly upstream: Upstream;
  readonly scopes: ScopeKeeper;
  readonly acceptedTokens: AcceptedTokens;
  readonly tokens: TokenKeeper;
  readonly sender: ReportSender;
  readonly gate: Gate;
}

/** Runs between SDKs and an upstream service: it has upstream's flags and tokens, and serves them when upstream is not available (docs/reach/relay.md). */
export class Relay implements FlagSource, BackstageSource {
  readonly endpoints: readonly AnyEndpoint<Services>[];
  readonly reports: ReportBox;
  readonly parts: Partial<FeatureParts>;
  readonly #flagStats = new FlagStats();
  readonly identity: Via;
  readonly #options: RelayOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #startedParts: StartedParts | undefined;

  constructor(options: RelayOptions, clock: Clock, logger: Logger) {
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.identity = { appName: options.appName, instanceId: options.instanceId };
    this.reports = new ReportBox(clock, this.identity, this.#flagStats);
    this.parts = { reports: this.reports, impactMetrics: this.reports.impact, flagStats: this.#flagStats };
    this.endpoints = createRegistry([
      backstageEndpoints(this),
      gaugeEndpointsWith(
        relayGauges(
          () => this.status(),
          () => clock.nowMs(),
        ),
      ),
      sdkEndpoints,
      reportEndpoints,
      frontendReportEndpoints,
      edgeEndpoints,
    ]);
  }

  /** Must not be used before `begin`. */
  readonly waits: RequestWaits = {
    await: (caller: Caller | Rejection, head: WaitingHead) => this.#parts.gate.await(caller, head),
  };

  /** Must not be used before `begin`. */
  readonly tokenAuthority: TokenAuthority = {
    mayKnow: (secret) => this.#parts.tokens.mayBeKnownUpstream(secret),
    adopt: (secret, network) => this.#parts.tokens.learnForRelay(secret, network),
  };

  get obstacle(): string | null {
    const { acceptedTokens, scopes } = this.#parts;
    const startTokens = acceptedTokens.startTokens();
    if (!acceptedTokens.isSettled || !startTokens.every((token) => scopes.isReady(scopeOf(token)))) return NOT_HYDRATED;
    return this.#options.tokens.length > 0 && startTokens.length === 0 && !scopes.hasAnyScope ? NO_TOKEN_KNOWN : null;
  }

  status(): UpstreamStatus {
    return upstreamStatus({ ...this.#parts, upstreamUrl: this.#options.upstreamUrl, box: this.reports });
  }

  followers(): readonly ScopeFollower[] {
    return this.#parts.scopes.followers;
  }

  isTrusted(secret: string): boolean {
    return this.#parts.acceptedTokens.isTrusted(secret);
  }

  waitingReports(): Iterable<BulkUse | BulkApplication> {
    return this.reports.peek();
  }

  waitingImpact(): Iterable<ImpactMetric> {
    return this.reports.impact.peek();
  }

  /** Counts the use of a flag, if the flag is known. Unknown names are only sent upstream, because invented names must not fill the metrics page. */
  #count({ featureName, appName, environment, yes, no }: BulkUse, state: Services['state']): void {
    if (state.get('features', featureName)) this.#flagStats.addUse(featureName, appName, environment, { yes, no });
  }

  async begin({ writer, replica, state, config, store }: Services): Promise<void> {
    const clock = this.#clock;
    const logger = this.#logger;
    const {
      tokens: startTokens,
      pretrusted,
      isStrict,
      revalidateMs,
      refreshMs,
      metricsMs,
      timeoutMs,
      isStreaming,
    } = this.#options;
    const upstream = new Upstream(this.#options, new AnswerMemory(this.#options.answers, logger));
    const common = { upstream, writer, clock, logger };
    const acceptedTokens = new AcceptedTokens({ ...common, state, tokens: startTokens, pretrusted, isStrict });
    const tokens = new TokenKeeper({ acceptedTokens, state, clock, logger, revalidateMs });
    const queue = new MirrorQueue(writer, ({ uncertainScopes }) => scopes.requestAgain(uncertainScopes));
    const onTokenRefused = (secret: string) => tokens.suspect(secret);
    const scopes = new ScopeKeeper({ ...common, replica, queue, refreshMs, isStreaming, onTokenRefused });
    const sender = new ReportSender({
      ...common,
      box: this.reports,
      onTaken: (use) => this.#count(use, state),
      everyMs: metricsMs,
      tokenFor: (environment, projects) => scopes.tokenFor(environment, projects),
      seesAll: (environment, projects) => scopes.tokenThatSees(environment, projects) !== undefined,
      projectOf: (flag) => state.get('features', flag)?.project,
      file: store instanceof MemoryStore ? null : new UnsentFile(config.dataDirectory, logger),
    });
    this.#startedParts = {
      upstream,
      scopes,
      acceptedTokens,
      tokens,
      sender,
      gate: new Gate({ tokens, scopes, state, waitMs: timeoutMs }),
    };
    // With Redis, other relays may already have data. Without a folder, Edge has left no files.
    if (!(store instanceof MemoryStore) && config.redisUrl === '') {
      const bytesMax = this.#options.answers.totalBytes;
      await seedFromEdge({ folder: config.dataDirectory, bytesMax, state, writer, queue, logger });
    }
    await tokens.begin();
    await sender.begin();
    scopes.begin();
  }

  async close(): Promise<void> {
    if (!this.#startedParts) return;
    const { upstream, scopes, tokens, sender } = this.#startedParts;
    const closing = Promise.all([tokens.close(), scopes.close()]);
    upstream.closeStreams();
    await sender.close();
    upstream.close();
    await closing;
  }

  get #parts(): StartedParts {
    assert(this.#startedParts, 'the relay was used before it began');
    return this.#startedParts;
  }
}
