import Type, { type TSchema } from 'typebox';
import { isoTime } from '../../base/clock.ts';
import { Rejection, unavailable } from '../../base/rejection.ts';
import { VERSION } from '../../base/version.ts';
import { routesOf } from '../../features/endpoint.ts';
import type { ImpactMetric } from '../../features/impact-metrics/impact-metrics.ts';
import { backstageHealth, health, readyRoute } from '../../features/instance/operations/routes.ts';
import type { Services } from '../../features/services.ts';
import { type Answer, ok } from '../../http/answer.ts';
import type { AnyEndpoint } from '../../http/endpoint.ts';
import { clientFeatureJson } from '../../model/client-feature.ts';
import { MapOf, Nullable } from '../../model/primitives.ts';
import { segmentFragment } from '../../views/client/fragment.ts';
import { UpstreamStatus } from './relay-status.ts';
import type { BulkApplication, BulkUse, Via } from './report-box.ts';
import type { ScopeFollower } from './scope-follower.ts';
import { beginningOf } from './token-validation.ts';

/** The status of a relay. */
export interface BackstageSource {
  /** Why this relay should not get requests; null when it is ready. */
  readonly obstacle: string | null;
  readonly identity: Via;
  followers(): readonly ScopeFollower[];
  status(): UpstreamStatus;
  /** Whether a token is accepted without validation by upstream. */
  isTrusted(secret: string): boolean;
  waitingReports(): Iterable<BulkUse | BulkApplication>;
  waitingImpact(): Iterable<ImpactMetric>;
}

const route = routesOf('Operational');

const operatorAccess = { access: { permission: 'NONE', backstage: true }, errors: [401] } as const;

const readySchema = readyRoute.responses[200].schema;

/** Readiness, with the status of upstream. */
function readyEndpoint(relay: BackstageSource, operationId: string, path: string) {
  return route(`GET ${path}`, operationId, {
    ...readyRoute,
    responses: {
      200: {
        description: 'The relay is ready: requests should be sent to it',
        schema: Type.Object({ ...readySchema.properties, upstream: UpstreamStatus }),
      },
    },
    handle(request, services) {
      const answer = readyRoute.handle(request, services);
      if (answer instanceof Rejection) return answer;
      const { obstacle } = relay;
      if (obstacle !== null) return unavailable(obstacle, 1);
      return ok({ ...(answer.body as object), upstream: relay.status() });
    },
  });
}

const TokenStatus = Type.Object({
  token: Type.String({ description: 'The token without its secret' }),
  type: Type.String(),
  environment: Type.String(),
  projects: Type.Array(Type.String()),
});

const tokensSchema = Type.Object({
  tokenRefreshes: Type.Array(
    Type.Object({
      token: TokenStatus,
      etag: Nullable(Type.String()),
      lastCheck: Nullable(Type.String({ format: 'date-time' })),
      problem: Nullable(Type.Object({ since: Type.String(), message: Type.String() })),
    }),
    { description: 'The scopes that are requested from upstream, without duplicates' },
  ),
  tokenValidationStatus: Type.Array(
    Type.Object({
      ...TokenStatus.properties,
      status: Type.Enum(['Validated', 'Trusted'], { description: '`Trusted`: not validated by upstream' }),
    }),
    { description: 'Known tokens' },
  ),
});

function tokensEndpoint(relay: BackstageSource) {
  return route('GET /internal-backstage/tokens', 'getRelayTokens', {
    ...operatorAccess,
    summary: 'The known tokens, and the scopes that are requested from upstream with them',
    responses: { 200: { description: 'The tokens and scopes, without secrets', schema: tokensSchema } },
    handle(_request, { state }) {
      const tokenRefreshes = relay.followers().map(({ scope, status }) => ({
        token: {
          token: beginningOf(scope.secrets[0] ?? ''),
          type: 'client',
          environment: scope.environment,
          projects: scope.projects,
        },
        etag: state.get('mirroredScopes', scope.key)?.etag ?? null,
        lastCheck: status.syncedAt,
        problem: status.problem,
      }));
      const tokenValidationStatus = [...state.values('apiTokens')].map(({ secret, type, environment, projects }) => ({
        token: beginningOf(secret),
        type,
        environment,
        projects,
        status: relay.isTrusted(secret) ? 'Trusted' : 'Validated',
      }));
      return ok({ tokenRefreshes, tokenValidationStatus });
    },
  });
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

function piecesAnswer(parts: Iterable<string>): Answer {
  return { status: 200, pieces: parts, headers: JSON_HEADERS };
}

function batchEndpoint(relay: BackstageSource) {
  return route('GET /internal-backstage/metricsbatch', 'getRelayMetricsBatch', {
    ...operatorAccess,
    summary: 'Reports of SDKs that were not sent upstream yet',
    responses: {
      200: {
        description: 'The reports in the form in which they will be sent',
        schema: MapOf(Type.Unknown() as TSchema),
      },
    },
    handle: () => piecesAnswer(batchJson(relay)),
  });
}

function* batchJson(relay: BackstageSource): Generator<string, void, void> {
  const [applications, metrics]: [string[], string[]] = [[], []];
  for (const item of relay.waitingReports())
    ('featureName' in item ? metrics : applications).push(JSON.stringify(item));
  yield `{"applications":[${applications.join()}],"metrics":[`;
  yield `${metrics.join()}],"impactMetrics":`;
  yield `${JSON.stringify([...relay.waitingImpact()])}}`;
}

/** The route for all served flags, used by a relay and by `burgee offline`. */
export const featuresEndpoint = route('GET /internal-backstage/features', 'getRelayFeatures', {
  ...operatorAccess,
  summary: 'All served flags and segments, by environment',
  responses: { 200: { description: 'Lists of version 2, by environment', schema: MapOf(Type.Unknown() as TSchema) } },
  handle: (_request, { state }) => piecesAnswer(featuresJson(state)),
});

/**
 * Writes all flags as JSON in pieces. Each flag is consistent, but the flags may be from different revisions, because commits may happen between two
 * pieces.
 */
function* featuresJson(state: Services['state']): Generator<string, void, void> {
  let open = '{';
  for (const { name: environment } of [...state.values('environments')]) {
    yield `${open}${JSON.stringify(environment)}:{"version":2,"features":[`;
    open = ',';
    const usedSegments = new Set<number>();
    let separator = '';
    for (const feature of state.values('features')) {
      const settings = feature.environments.find((each) => each.environment === environment);
      if (!settings) continue;
      for (const { segments } of settings.strategies) for (const id of segments) usedSegments.add(id);
      yield separator + clientFeatureJson(feature, environment);
      separator = ',';
    }
    const segments = [...usedSegments].flatMap((id) => state.get('segments', String(id)) ?? []);
    yield `],"segments":[${segments.map(segmentFragment).join()}]}`;
  }
  yield open === '{' ? '{}' : '}';
}

function infoEndpoints(relay: BackstageSource) {
  const startedMs = Date.now() - performance.now();
  const info = route('GET /internal-backstage/info', 'getRelayInfo', {
    ...operatorAccess,
    summary: 'Name and version of this program',
    responses: {
      200: {
        description: 'Name and version',
        schema: Type.Object({ packageName: Type.String(), appVersion: Type.String(), platformVersion: Type.String() }),
      },
    },
    handle: () => ok({ packageName: 'burgee', appVersion: VERSION, platformVersion: process.version }),
  });
  const instance = route('GET /internal-backstage/instancedata', 'getRelayInstance', {
    ...operatorAccess,
    summary: 'Status of this instance',
    responses: {
      200: {
        description: 'Name, version, and the status of its upstream',
        schema: Type.Object({
          identifier: Type.String(),
          appName: Type.String(),
          edgeVersion: Type.String({ description: 'Version of this program' }),
          started: Type.String({ format: 'date-time' }),
          connectedStreamingClients: Type.Integer(),
          upstream: UpstreamStatus,
        }),
      },
    },
    handle: (_request, { http }) =>
      ok({
        identifier: relay.identity.instanceId,
        appName: relay.identity.appName,
        edgeVersion: VERSION,
        started: isoTime(startedMs),
        connectedStreamingClients: http().streams,
        upstream: relay.status(),
      }),
  });
  return [info, instance];
}

/** Status endpoints for operators, at the same paths as in Edge. */
export function backstageEndpoints(relay: BackstageSource): readonly AnyEndpoint<Services>[] {
  return [
    health,
    backstageHealth,
    readyEndpoint(relay, 'getReady', '/ready'),
    readyEndpoint(relay, 'getBackstageReady', '/internal-backstage/ready'),
    tokensEndpoint(relay),
    batchEndpoint(relay),
    featuresEndpoint,
    ...infoEndpoints(relay),
  ];
}
