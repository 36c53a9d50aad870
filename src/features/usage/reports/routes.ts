import type { Static } from 'typebox';
import { shortened } from '../../../base/shortened.ts';
import { type Answer, done } from '../../../http/answer.ts';
import type { BodyReading } from '../../../http/endpoint.ts';
import type { CallerKind, Scope } from '../../../model/caller.ts';
import { BulkReader } from '../../bulk/reader.ts';
import { endpoint } from '../../endpoint.ts';
import type { Services } from '../../services.ts';
import type { Reporter } from '../sums.ts';
import { ReportReader } from './reader.ts';
import { type BulkReport, bulkOf, type Report, reportOf } from './report.ts';
import { BulkMetricsBody, ClientMetricsBody, RegistrationBody } from './schemas.ts';
import { ReportText } from './text.ts';

const SDK_HEADER = 'unleash-sdk';

/** Names a bulk report, so that it is counted once though it comes twice. */
export const REPORT_ID_HEADER = 'burgee-report-id';
const REPORT_ID_LENGTH_MAX = 64;

/** What an instance is called that does not say. */
const DEFAULT_INSTANCE = 'default';

/** Where a report comes from. */
interface Sent {
  readonly caller: { readonly scope: Scope; readonly kind: CallerKind };
  readonly remoteAddress: string;
  header(name: string): string | undefined;
}

const text = new ReportText();
const reportReader = new ReportReader(text);
const bulkReader = new BulkReader(text);

/** How what SDKs report is read. */
export const reportReading: BodyReading<Static<typeof ClientMetricsBody>, Report> = {
  read: (bytes) => reportReader.read(bytes),
  of: reportOf,
};

const bulkReading: BodyReading<Static<typeof BulkMetricsBody>, BulkReport> = {
  read: (bytes) => bulkReader.read(bytes),
  of: bulkOf,
};

/** What of a request tells of an instance. */
type Sender = Pick<Sent, 'remoteAddress' | 'header'> & { readonly caller: Pick<Sent['caller'], 'kind'> };

/** What a relay's request tells of the instances that it heard of: nothing. */
const RELAYED: Sender = { caller: { kind: 'client' }, remoteAddress: '', header: () => undefined };

type AboutReporter = Pick<Report, 'appName' | 'instanceId' | 'sdkVersion'>;

/** Asks the request for what it tells of an instance only when somebody asks: most are known. */
class SentReporter implements Reporter {
  readonly appName: string;
  readonly instanceId: string;
  readonly sdk: string;
  readonly #sent: Sender;

  constructor({ appName, instanceId, sdkVersion }: AboutReporter, sent: Sender) {
    this.appName = appName;
    this.instanceId = instanceId || DEFAULT_INSTANCE;
    this.sdk = sdkVersion ?? '';
    this.#sent = sent;
  }

  get sdkOfRequest(): string {
    return this.#sent.header(SDK_HEADER) ?? '';
  }

  get address(): string {
    return this.#sent.remoteAddress;
  }

  get isPublic(): boolean {
    return this.#sent.caller.kind === 'frontend';
  }
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
  reports.register(sent.caller.scope, new SentReporter(body, sent), textsOf(body.strategies));
}

/** Takes what an SDK has counted and measured. */
export function takeReport(
  report: Report,
  sent: Sent,
  { reports, propagation, impactMetrics, clock }: Pick<Services, 'reports' | 'impactMetrics' | 'propagation' | 'clock'>,
): void {
  const { scope, kind } = sent.caller;
  const { appName, connectionId, counts, untilMs } = report;
  reports.took('metrics');
  if (kind !== 'frontend') propagation.heard(scope, appName, connectionId, sent);
  if (untilMs === undefined) reports.register(scope, new SentReporter(report, sent), null);
  else reports.report(scope, new SentReporter(report, sent), counts, untilMs);
  if (report.impactMetrics)
    impactMetrics.report(report.impactMetrics, { scope, appName, isPublic: kind === 'frontend' }, clock.nowMs());
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
  reading: reportReading,
  handle(request, services) {
    takeReport(request.body, request, services);
    return done(202);
  },
});

/** What relays have gathered of many instances. What is said to be of another environment than the token's is left out. */
function takeBulk(
  { applications, uses, impactMetrics: measured }: BulkReport,
  sent: Sent,
  { reports, bulkReports, impactMetrics, clock }: Pick<Services, 'reports' | 'bulkReports' | 'impactMetrics' | 'clock'>,
): Answer {
  const { scope } = sent.caller;
  const id = sent.header(REPORT_ID_HEADER);
  // A relay that was not told that we have it sends it again.
  if (id && !bulkReports.add(`${scope.environment} ${shortened(id, REPORT_ID_LENGTH_MAX)}`)) return done(202);
  const isOurs = (environment: string | null | undefined) => {
    const own = environment === undefined || environment === null || environment === scope.environment;
    if (!own) reports.drop('environment');
    return own;
  };
  reports.took('bulk');
  for (const application of applications ?? []) {
    if (!isOurs(application.environment)) continue;
    reports.register(scope, new SentReporter(application, RELAYED), textsOf(application.strategies));
  }
  const { counts, appNames, environments, untilMs } = uses;
  for (let at = 0; at < counts.length; at++) {
    if (!isOurs(environments[at])) continue;
    const toldMs = untilMs[at] as number;
    reports.reportFlag(scope, appNames[at] as string, counts, at, Number.isNaN(toldMs) ? clock.nowMs() : toldMs);
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
  reading: bulkReading,
  responses: { 202: { description: 'Taken' } },
  errors: [400],
  handle: (request: Sent & { readonly body: BulkReport }, services: Services) =>
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
