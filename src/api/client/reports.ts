import type { Static } from 'typebox';
import type { FlagReport, Reporter } from '../../actors/use-sums.ts';
import { invalid, type Rejection } from '../../base/rejection.ts';
import { type Answer, done } from '../../http/answer.ts';
import type { CallerKind, Scope } from '../../model/caller.ts';
import { endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { BulkMetricsBody, ClientMetricsBody, RegistrationBody } from './report-schemas.ts';

const SDK_HEADER = 'unleash-sdk';

/** Names a bulk report, so that it is counted once though it comes twice. */
export const REPORT_ID_HEADER = 'burgee-report-id';
const REPORT_ID_LENGTH_MAX = 64;

/** What an instance is called that does not say. */
const DEFAULT_INSTANCE = 'default';

/** Where a report comes from. */
export interface Sent {
  readonly caller: { readonly scope: Scope; readonly kind: CallerKind };
  readonly remoteAddress: string;
  header(name: string): string | undefined;
}

type AboutReporter = Pick<Static<typeof ClientMetricsBody>, 'appName' | 'instanceId' | 'sdkVersion'>;

function reporterOf({ appName, instanceId, sdkVersion }: AboutReporter, { remoteAddress, header }: Sent): Reporter {
  const told = { sdk: sdkVersion ?? '', sdkOfRequest: header(SDK_HEADER) ?? '' };
  return { appName, instanceId: instanceId || DEFAULT_INSTANCE, ...told, address: remoteAddress };
}

/** Takes a registration of an SDK, of a server or of a browser. */
export function takeRegistration(
  body: RegistrationBody,
  sent: Sent,
  { reports, propagation }: Pick<Services, 'reports' | 'propagation'>,
): void {
  // Browsers are given answers, not lists.
  if (sent.caller.kind !== 'frontend') propagation.heard(sent.caller.scope, body.appName, body.connectionId, sent);
  reports.took('registration');
  reports.register(sent.caller.scope, reporterOf(body, sent), textsOf(body.strategies));
}

/** Takes what an SDK has counted. Its bucket is told in no time that cannot be read. */
export function takeMetrics(
  body: Static<typeof ClientMetricsBody>,
  sent: Sent,
  { reports, impactMetrics, propagation, clock }: Pick<Services, 'reports' | 'impactMetrics' | 'propagation' | 'clock'>,
): Rejection | undefined {
  const { scope } = sent.caller;
  const { bucket } = body;
  const untilMs = bucket ? timeOf(bucket.stop) : undefined;
  if (bucket && (untilMs === undefined || timeOf(bucket.start) === undefined))
    return invalid('The bucket has a start and a stop that are times.', '/bucket');
  reports.took('metrics');
  if (sent.caller.kind !== 'frontend') propagation.heard(scope, body.appName, body.connectionId, sent);
  if (bucket && untilMs !== undefined) reports.report(scope, reporterOf(body, sent), bucket.toggles, untilMs);
  else reports.register(scope, reporterOf(body, sent), null);
  const source = { scope, appName: body.appName, isPublic: sent.caller.kind === 'frontend' };
  if (body.impactMetrics) impactMetrics.report(body.impactMetrics, source, clock.nowMs());
  return undefined;
}

/** Undefined when it is no time. */
function timeOf(sent: string | number): number | undefined {
  const timeMs = typeof sent === 'number' ? sent : Date.parse(sent);
  return Number.isFinite(timeMs) ? Math.max(0, Math.trunc(timeMs)) : undefined;
}

function textsOf(sent: readonly unknown[] | null | undefined): string[] | null {
  return sent ? sent.filter((item) => typeof item === 'string') : null;
}

const registerClient = endpoint({
  operationId: 'registerClientApplication',
  method: 'post',
  path: '/api/client/register',
  tag: 'Client',
  access: { permission: 'CLIENT' },
  summary: 'An instance of an application has begun',
  description: 'Sent by SDKs when they start. The environment and the projects are the token’s.',
  body: RegistrationBody,
  responses: { 202: { description: 'Taken' } },
  errors: [400],
  handle(request, services) {
    takeRegistration(request.body, request, services);
    return done(202);
  },
});

const sendMetrics = endpoint({
  operationId: 'registerClientMetrics',
  method: 'post',
  path: '/api/client/metrics',
  tag: 'Client',
  access: { permission: 'CLIENT' },
  summary: 'How often flags were on and off in an instance of an application',
  description:
    'Sent by SDKs now and then. The environment is the token’s; flags of projects that are not the token’s are not counted. ' +
    'What is counted survives a stop, and is at most some seconds behind.',
  body: ClientMetricsBody,
  responses: { 202: { description: 'Taken' } },
  errors: [400],
  handle(request, services) {
    return takeMetrics(request.body, request, services) ?? done(202);
  },
});

/** What relays have gathered of many instances. What is said to be of another environment than the token's is left out. */
function takeBulk(
  { applications, metrics, impactMetrics: measured }: Static<typeof BulkMetricsBody>,
  sent: Sent,
  { reports, bulkReports, impactMetrics, clock }: Pick<Services, 'reports' | 'bulkReports' | 'impactMetrics' | 'clock'>,
): Answer {
  const { scope } = sent.caller;
  const id = sent.header(REPORT_ID_HEADER);
  // A relay that was not told that we have it sends it again.
  if (id && !bulkReports.add(`${scope.environment} ${id.slice(0, REPORT_ID_LENGTH_MAX)}`)) return done(202);
  const isOurs = (environment: string | null | undefined) => {
    const own = environment === undefined || environment === null || environment === scope.environment;
    if (!own) reports.drop('environment');
    return own;
  };
  reports.took('bulk');
  for (const application of applications ?? []) {
    if (!isOurs(application.environment)) continue;
    const reporter = { ...reporterOf(application, sent), sdkOfRequest: '', address: '' };
    reports.register(scope, reporter, textsOf(application.strategies));
  }
  for (const { featureName, appName, environment, timestamp, yes, no, variants } of metrics ?? []) {
    if (!isOurs(environment)) continue;
    const untilMs = timestamp === undefined ? clock.nowMs() : (timeOf(timestamp) ?? clock.nowMs());
    const use: FlagReport = { yes, no, variants };
    reports.reportFlag(scope, appName, featureName, use, untilMs);
  }
  if (measured) impactMetrics.report(measured, { scope, appName: null, isPublic: false }, clock.nowMs());
  return done(202);
}

const bulkFacts = {
  method: 'post',
  access: { permission: 'CLIENT' },
  summary: 'What a relay has gathered: instances that it heard of, and how often flags were on and off',
  description: 'Items of another environment than the token’s are left out.',
  body: BulkMetricsBody,
  responses: { 202: { description: 'Taken' } },
  errors: [400],
  handle: (request: Sent & { readonly body: Static<typeof BulkMetricsBody> }, services: Services) =>
    takeBulk(request.body, request, services),
} as const;

const sendBulkMetrics = endpoint({
  ...bulkFacts,
  operationId: 'clientBulkMetrics',
  path: '/api/client/metrics/bulk',
  tag: 'Client',
});

const sendEdgeMetrics = endpoint({
  ...bulkFacts,
  operationId: 'edgeBulkMetrics',
  path: '/edge/metrics',
  tag: 'Edge',
  description: `The same as \`/api/client/metrics/bulk\`, for older relays. ${bulkFacts.description}`,
});

export const reportEndpoints = [registerClient, sendMetrics, sendBulkMetrics, sendEdgeMetrics];
