import type { Static } from 'typebox';
import { convertedInSteps } from '../../../base/converted.ts';
import { invalid, Rejection } from '../../../base/rejection.ts';
import { shortened } from '../../../base/shortened.ts';
import { type Answer, done } from '../../../http/answer.ts';
import type { CallerKind, Scope } from '../../../model/caller.ts';
import { routesOf } from '../../endpoint.ts';
import type { Services } from '../../services.ts';
import type { FlagReports } from '../flag-report.ts';
import type { Reporter } from '../report-sums.ts';
import { BulkMetricsBody, ClientMetricsBody, RegistrationBody } from './schemas.ts';

const clientRoute = routesOf('Client', { mend: convertedInSteps });
const edgeRoute = routesOf('Edge', { mend: convertedInSteps });

const SDK_HEADER = 'unleash-sdk';

/** Header with the id of a bulk report. A report that arrives twice has the same id and is counted once. */
export const REPORT_ID_HEADER = 'burgee-report-id';
const REPORT_ID_LENGTH_MAX = 64;

/** The id of an instance that reports none. */
const DEFAULT_INSTANCE = 'default';

/** The parts of a request with a report that its acceptance needs. */
interface ReportRequest {
  readonly caller: { readonly scope: Scope; readonly kind: CallerKind };
  readonly remoteAddress: string;
  header(name: string): string | undefined;
}

/** The part of a request that describes an instance. */
type Sender = Pick<ReportRequest, 'remoteAddress' | 'header'> & {
  readonly caller: Pick<ReportRequest['caller'], 'kind'>;
};

/** The sender of instances that a relay reports: the request of the relay does not describe them. */
const RELAYED: Sender = { caller: { kind: 'client' }, remoteAddress: '', header: () => undefined };

type AboutReporter = Pick<Report, 'appName' | 'instanceId' | 'sdkVersion'>;

/** Reads the description of an instance from the request only if it is needed: most instances are known. */
class RequestReporter implements Reporter {
  readonly appName: string;
  readonly instanceId: string;
  readonly sdk: string;
  readonly #request: Sender;

  constructor({ appName, instanceId, sdkVersion }: AboutReporter, request: Sender) {
    this.appName = appName;
    this.instanceId = instanceId || DEFAULT_INSTANCE;
    this.sdk = sdkVersion ?? '';
    this.#request = request;
  }

  get sdkOfRequest(): string {
    return this.#request.header(SDK_HEADER) ?? '';
  }

  get address(): string {
    return this.#request.remoteAddress;
  }

  get isPublic(): boolean {
    return this.#request.caller.kind === 'frontend';
  }
}

/** Accepts the registration of an SDK, in a server or in a browser. */
export function acceptRegistration(
  body: RegistrationBody,
  request: ReportRequest,
  { reports, propagation }: Pick<Services, 'reports' | 'propagation'>,
): void {
  // Browsers receive evaluated answers, not lists.
  if (request.caller.kind !== 'frontend')
    propagation.recordContact(request.caller.scope, body.appName, body.connectionId, request);
  reports.countReport('registration');
  reports.register(request.caller.scope, new RequestReporter(body, request), textsOf(body.strategies));
}

/** Accepts the counts and the metrics of an SDK. Returns undefined if they were accepted. */
export function acceptReport(
  body: Static<typeof ClientMetricsBody>,
  request: ReportRequest,
  { reports, propagation, impactMetrics, clock }: Pick<Services, 'reports' | 'impactMetrics' | 'propagation' | 'clock'>,
): Rejection | undefined {
  const report = reportOf(body);
  if (report instanceof Rejection) return report;
  const { scope, kind } = request.caller;
  const { appName, connectionId, flags, untilMs } = report;
  reports.countReport('metrics');
  if (kind !== 'frontend') propagation.recordContact(scope, appName, connectionId, request);
  if (untilMs === undefined) reports.register(scope, new RequestReporter(report, request), null);
  else reports.report(scope, new RequestReporter(report, request), flags, untilMs);
  if (report.impactMetrics)
    impactMetrics.report(report.impactMetrics, { scope, appName, isPublic: kind === 'frontend' }, clock.nowMs());
  return undefined;
}

function textsOf(values: readonly unknown[] | null | undefined): string[] | null {
  return values ? values.filter((item) => typeof item === 'string') : null;
}

const registerClient = clientRoute('POST /api/client/register', 'registerClientApplication', {
  access: { permission: 'CLIENT' },
  summary: 'Registers an instance of an application that has started',
  description: 'Sent by SDKs when they start. The token decides the environment and the projects.',
  body: RegistrationBody,
  responses: { 202: { description: 'Accepted' } },
  handle(request, services) {
    acceptRegistration(request.body, request, services);
    return done(202);
  },
});

const sendMetrics = clientRoute('POST /api/client/metrics', 'registerClientMetrics', {
  access: { permission: 'CLIENT' },
  summary: 'How often flags were on and off in an instance of an application',
  description:
    'Sent by SDKs periodically. The token decides the environment. Flags of projects outside the scope of the token are not counted. ' +
    'The counts are available after some seconds, and are kept after a restart.',
  body: ClientMetricsBody,
  responses: { 202: { description: 'Accepted' } },
  handle: (request, services) => acceptReport(request.body, request, services) ?? done(202),
});

/**
 * Accepts the reports that a relay has collected from many instances. Items of another environment than the environment of the token are dropped.
 */
function acceptBulkReport(
  { applications, metrics, impactMetrics: measured }: Static<typeof BulkMetricsBody>,
  request: ReportRequest,
  { reports, bulkReports, impactMetrics, clock }: Pick<Services, 'reports' | 'bulkReports' | 'impactMetrics' | 'clock'>,
): Answer {
  const { scope } = request.caller;
  const id = request.header(REPORT_ID_HEADER);
  // A relay repeats a report if it got no answer, so the report may have been counted already.
  if (id && !bulkReports.add(`${scope.environment} ${shortened(id, REPORT_ID_LENGTH_MAX)}`)) return done(202);
  const isCounted = (environment: string | null | undefined, appName: string) => {
    const isOwn = environment === undefined || environment === null || environment === scope.environment;
    if (!isOwn) reports.drop('environment');
    else if (appName === '') reports.drop('application');
    return isOwn && appName !== '';
  };
  reports.countReport('bulk');
  for (const application of applications ?? []) {
    if (!isCounted(application.environment, application.appName)) continue;
    reports.register(scope, new RequestReporter(application, RELAYED), textsOf(application.strategies));
  }
  for (const { featureName, appName, environment, timestamp, ...use } of metrics ?? []) {
    if (!isCounted(environment, appName)) continue;
    // An invalid time counts as now.
    const untilMs = (timestamp === undefined ? undefined : timeOf(timestamp)) ?? clock.nowMs();
    reports.reportFlag(scope, appName, featureName, use, untilMs);
  }
  if (measured) impactMetrics.report(measured, { scope, appName: null, isPublic: false }, clock.nowMs());
  return done(202);
}

const bulkRoute = {
  access: { permission: 'CLIENT' },
  summary: 'Reports that a relay has collected: instances of applications, and how often flags were on and off',
  description: 'Items of another environment than the environment of the token are dropped.',
  body: BulkMetricsBody,
  responses: { 202: { description: 'Accepted' } },
  handle: (request: ReportRequest & { readonly body: Static<typeof BulkMetricsBody> }, services: Services) =>
    acceptBulkReport(request.body, request, services),
} as const;

const sendBulkMetrics = clientRoute('POST /api/client/metrics/bulk', 'clientBulkMetrics', bulkRoute);

const sendEdgeMetrics = edgeRoute('POST /edge/metrics', 'edgeBulkMetrics', {
  ...bulkRoute,
  description: `The same as \`/api/client/metrics/bulk\`, for older relays. ${bulkRoute.description}`,
});

type Body = Static<typeof ClientMetricsBody>;

/** The report of an SDK. */
interface Report extends Pick<Body, 'appName' | 'instanceId' | 'connectionId' | 'sdkVersion' | 'impactMetrics'> {
  readonly flags: FlagReports;
  /** End of the bucket; undefined if there is none. */
  readonly untilMs: number | undefined;
}

/** The report in a validated body, or a rejection if the start or the stop of the bucket is not a valid time. */
function reportOf({ bucket, ...fields }: Body): Report | Rejection {
  const { appName, instanceId, connectionId, sdkVersion, impactMetrics } = fields;
  const untilMs = bucket ? timeOf(bucket.stop) : undefined;
  if (bucket && (untilMs === undefined || timeOf(bucket.start) === undefined))
    return invalid('The start and the stop of the bucket must be times.', '/bucket');
  return { appName, instanceId, connectionId, sdkVersion, impactMetrics, flags: bucket?.toggles ?? {}, untilMs };
}

/** Converts a time to milliseconds since 1970; undefined if the value is not a time. */
function timeOf(sent: string | number): number | undefined {
  const timeMs = typeof sent === 'number' ? sent : Date.parse(sent);
  return Number.isFinite(timeMs) ? Math.max(0, Math.trunc(timeMs)) : undefined;
}

export const reportEndpoints = [registerClient, sendMetrics, sendBulkMetrics, sendEdgeMetrics];
