import Type from 'typebox';
import { headText, labelText, PROMETHEUS_TYPE, sampleText } from '../../../base/prometheus-text.ts';
import type { Answer } from '../../../http/answer.ts';
import { REFUSAL_REASONS } from '../../../stores/write-refusal.ts';
import { routesOf } from '../../endpoint.ts';
import type { Services } from '../../services.ts';
import type { NamedThings } from '../../usage/flag-stats.ts';
import { counter, type Gauge, gauge } from './gauge.ts';
import { processTexts } from './process-gauges.ts';
import { UNLEASH_GAUGES } from './unleash-gauges.ts';

const route = routesOf('Operational');

/** All metrics of a scrape. Add a new one here. */
const GAUGES: readonly Gauge[] = [
  gauge('burgee_revision', 'Sequence number of the newest applied commit', ({ state }) => state.seq),
  gauge('burgee_store_reachable', '1 when the store is reachable', ({ store }) => Number(store.status().reachable)),
  gauge(
    'burgee_writes_refused',
    '1 for the reason for which writes are refused; 0 for all others',
    ({ refusals: { current } }) =>
      REFUSAL_REASONS.map((reason) => [{ reason }, Number(current?.reason === reason)] as const),
  ),
  gauge(
    'burgee_writes_refused_since_seconds',
    'Unix time since which writes are refused; 0 while they are accepted',
    ({ refusals: { current } }) => (current ? Date.parse(current.since) / 1_000 : 0),
  ),
  gauge('burgee_writes_waiting', 'Writes that wait for the store', ({ writer }) => writer.depth),
  counter(
    'burgee_write_conflicts_total',
    'How often another replica committed first, and writes were decided again',
    ({ writer }) => writer.conflicts,
  ),
  gauge('burgee_streams', 'Streams that are open', ({ http }) => http().streams),
  gauge(
    'burgee_snapshot_behind_commits',
    'Commits after the newest snapshot that this process knows: a start has to replay them',
    ({ snapshotter }) => snapshotter.behind,
  ),
  gauge(
    'burgee_snapshot_age_seconds',
    'How long ago this process took its newest snapshot; left out until it takes one',
    ({ snapshotter: { takenMs } }) => (takenMs === undefined ? undefined : (performance.now() - takenMs) / 1_000),
  ),
  counter(
    'burgee_flag_figures_dropped_total',
    'How often a flag or an SDK was not reported by name because the capacity was reached',
    ({ flagStats }) => flagStats.dropped,
  ),
  gauge(
    'burgee_counts_waiting',
    'Names with counts that are not in the store yet: a crash loses them',
    ({ counts }) => counts.risk.waitingNames,
  ),
  counter(
    'burgee_counts_lost_total',
    'How often a count was refused, or dropped because its bucket was full, and names whose counts the store has lost',
    ({ counts: { risk } }) => risk.refused + risk.dropped + risk.lost,
  ),
  counter('burgee_reports_total', 'Reports of SDKs and relays that were accepted', ({ reports: { taken } }) =>
    Object.entries(taken).map(([kind, count]) => [{ kind }, count] as const),
  ),
  counter(
    'burgee_reports_dropped_total',
    'Parts of reports that were not counted, by reason (docs/metrics.md)',
    ({ reports: { dropped } }) => Object.entries(dropped).map(([reason, count]) => [{ reason }, count] as const),
  ),
  gauge(
    'burgee_reported_names_waiting',
    'Names of flags, variants and instances that were reported and are not counted yet',
    ({ reports }) => reports.waiting,
  ),
  gauge(
    'burgee_flags_seen',
    'Flags, counted in each environment, whose last use is known',
    ({ flagUse }) => flagUse.size,
  ),
  gauge('burgee_applications', 'Applications that are known', ({ state }) => state.size('applications')),
  gauge(
    'burgee_connections',
    'SDKs that are connected to this process, as far as is known (docs/propagation.md)',
    ({ propagation }) => propagation.open(),
  ),
  counter(
    'burgee_receipts_total',
    'Lists and changes that were sent to followed SDKs with an older list',
    ({ propagation }) => propagation.receipts,
  ),
  counter(
    'burgee_connections_refused_total',
    'How often an SDK was not followed because the capacity was reached',
    ({ propagation }) => propagation.refused,
  ),
  gauge('burgee_impact_lines', 'Lines with metrics of applications', ({ impactMetrics }) => impactMetrics.lines),
  counter(
    'burgee_impact_dropped_total',
    'Samples of applications that were not kept, by reason (docs/metrics.md)',
    ({ impactMetrics: { dropped } }) => Object.entries(dropped).map(([reason, count]) => [{ reason }, count] as const),
  ),
  gauge(
    'burgee_lag_commits',
    'Commits of other replicas that are known and not applied yet',
    ({ membership }) => membership?.status().lag.commits,
  ),
  counter(
    'burgee_losses_total',
    'How often the store came back without commits of this replica, or with another history',
    ({ membership }) => membership?.status().losses.found,
  ),
  counter(
    'burgee_refills_total',
    'Losses that were settled from the memory of this replica',
    ({ membership }) => membership?.status().losses.refilled,
  ),
  counter(
    'burgee_given_up_commits_total',
    'Commits that this replica had applied and gave up: they are not part of the history any more',
    ({ membership }) => membership?.status().losses.givenUp,
  ),
  gauge(
    'burgee_audit_events',
    'Audit events that are kept',
    ({ auditLogRetention }) => auditLogRetention.status?.count,
  ),
  gauge(
    'burgee_audit_events_first_id',
    'Id of the oldest audit event that is kept; of the next one when none is kept',
    ({ auditLogRetention }) => auditLogRetention.status?.firstId,
  ),
  gauge(
    'burgee_audit_events_bytes',
    'Size of the audit events in the store; left out until it is measured',
    ({ auditLogRetention }) => auditLogRetention.status?.sizeBytes ?? undefined,
  ),
  gauge(
    'burgee_audit_events_year_bytes',
    'Estimated size of one year of audit events, from those that are kept; left out when these cover less than a day',
    ({ auditLogRetention }) => auditLogRetention.status?.yearBytes ?? undefined,
  ),
];

function scrapeOf(more: readonly Gauge[], operationId = 'getGauges', path = '/internal-backstage/prometheus') {
  return route(`GET ${path}`, operationId, {
    access: { permission: 'NONE', backstage: true },
    summary: 'Metrics for Prometheus',
    description:
      'Metrics of this process, and those that applications reported to it (`impactMetrics`). Without `BACKSTAGE_TOKEN`, metrics that ' +
      'name private projects are left out.',
    responses: { 200: { description: 'In its text format', schema: Type.String(), contentType: PROMETHEUS_TYPE } },
    errors: [401],
    handle: (_request, services) => textAnswer(texts(services, more)),
  });
}

const scrapeImpact = route('GET /internal-backstage/impact/metrics', 'getImpactMetrics', {
  access: { permission: 'NONE', backstage: true },
  summary: 'Metrics that applications reported, for Prometheus',
  description:
    'The part of `/internal-backstage/prometheus` that is not about the service itself. Empty while there are private projects and no ' +
    '`BACKSTAGE_TOKEN`, because applications label their metrics with flags.',
  responses: { 200: { description: 'In its text format', schema: Type.String(), contentType: PROMETHEUS_TYPE } },
  errors: [401],
  handle: (_request, services) => textAnswer(impactTexts(services)),
});

function textAnswer(pieces: Iterable<string>): Answer {
  return { status: 200, pieces, headers: { 'content-type': PROMETHEUS_TYPE } };
}

function* texts(services: Services, more: readonly Gauge[]): Generator<string, void, void> {
  for (const one of [...GAUGES, ...more, ...UNLEASH_GAUGES]) yield textOf(one, services);
  yield* processTexts(services);
  yield* services.http().stats.texts();
  yield* services.flagStats.texts(namedThings(services));
  yield* impactTexts(services);
}

/** Whether scrapes must send `BACKSTAGE_TOKEN`. If so, the metrics may name all projects and flags. */
function isTrusted({ config }: Services): boolean {
  return config.backstageToken !== '';
}

/** The projects and flags that a scrape may name. Without `BACKSTAGE_TOKEN`, anyone may scrape, so private projects are left out. */
function namedThings(services: Services): NamedThings {
  if (isTrusted(services)) return { project: () => true, flag: () => true };
  const { state } = services;
  const project = (id: string) => state.get('projects', id)?.mode !== 'private';
  const flag = (name: string) => {
    const feature = state.get('features', name);
    return feature !== undefined && project(feature.project);
  };
  return { project, flag };
}

/** The metrics of applications. Applications choose the labels, which may name any flag, so either all lines are returned or no line. */
function impactTexts(services: Services): Iterable<string> {
  const { state, impactMetrics, clock } = services;
  const isLogged = isTrusted(services) || [...state.values('projects')].every(({ mode }) => mode !== 'private');
  return isLogged ? impactMetrics.texts(clock.nowMs()) : [];
}

function textOf({ name, help, type, read }: Gauge, services: Services): string {
  const presented = read(services);
  if (presented === undefined) return '';
  const samples = typeof presented === 'number' ? [[{}, presented] as const] : presented;
  const lines = samples.map(([labels, value]) => sampleText(name, labelText(Object.entries(labels)), value));
  return headText(name, help, type) + lines.join('');
}

/** The scrape endpoints with additional metrics, also under the path that Unleash Edge has. */
export function gaugeEndpointsWith(more: readonly Gauge[]) {
  return [scrapeOf(more), scrapeOf(more, 'getRelayGauges', '/internal-backstage/metrics'), scrapeImpact];
}

export const gaugeEndpoints = [scrapeOf([]), scrapeImpact];
