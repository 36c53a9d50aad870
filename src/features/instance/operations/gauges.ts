import Type from 'typebox';
import { headText, labelText, PROMETHEUS_TYPE, sampleText } from '../../../base/prometheus-text.ts';
import type { Answer } from '../../../http/answer.ts';
import { REFUSAL_REASONS } from '../../../stores/write-refusal.ts';
import { routesOf } from '../../endpoint.ts';
import type { Services } from '../../services.ts';
import type { ShownNames } from '../../usage/flag-stats.ts';
import type { Gauge } from './gauge.ts';
import { processTexts } from './process-gauges.ts';
import { UNLEASH_GAUGES } from './unleash-gauges.ts';

const route = routesOf('Operational');

/** All metrics of a scrape. Add a new one here. */
const GAUGES: readonly Gauge[] = [
  {
    name: 'burgee_revision',
    help: 'Sequence number of the newest applied commit',
    type: 'gauge',
    read: ({ state }) => state.seq,
  },
  {
    name: 'burgee_store_reachable',
    help: '1 when the store is reachable',
    type: 'gauge',
    read: ({ store }) => Number(store.status().reachable),
  },
  {
    name: 'burgee_writes_refused',
    help: '1 for the reason for which writes are refused; 0 for all other reasons',
    type: 'gauge',
    read: ({ refusals: { current } }) =>
      REFUSAL_REASONS.map((reason) => [{ reason }, Number(current?.reason === reason)] as const),
  },
  {
    name: 'burgee_writes_refused_since_seconds',
    help: 'Unix time since which writes are refused; 0 while they are accepted',
    type: 'gauge',
    read: ({ refusals: { current } }) => (current ? Date.parse(current.since) / 1_000 : 0),
  },
  {
    name: 'burgee_writes_waiting',
    help: 'Writes that wait for the store',
    type: 'gauge',
    read: ({ writer }) => writer.depth,
  },
  {
    name: 'burgee_write_conflicts_total',
    help: 'How often writes were decided again because another replica had committed first',
    type: 'counter',
    read: ({ writer }) => writer.conflicts,
  },
  {
    name: 'burgee_streams',
    help: 'Open streams',
    type: 'gauge',
    read: ({ http }) => http().streams,
  },
  {
    name: 'burgee_snapshot_behind_commits',
    help: 'Commits after the newest snapshot that this process knows. They are replayed at the next start',
    type: 'gauge',
    read: ({ snapshotter }) => snapshotter.commitsAfterSnapshot,
  },
  {
    name: 'burgee_snapshot_age_seconds',
    help: 'How long ago this process took its newest snapshot; left out until it takes one',
    type: 'gauge',
    read: ({ snapshotter: { snapshotTakenMs } }) =>
      snapshotTakenMs === undefined ? undefined : (performance.now() - snapshotTakenMs) / 1_000,
  },
  {
    name: 'burgee_flag_figures_dropped_total',
    help: 'How often a change or use of a flag, or an SDK, was left out of the metrics because there are too many names',
    type: 'counter',
    read: ({ flagStats }) => flagStats.dropped,
  },
  {
    name: 'burgee_counts_waiting',
    help: 'Names with counts that are not in the store yet: a crash loses them',
    type: 'gauge',
    read: ({ counts }) => counts.risk.waitingNames,
  },
  {
    name: 'burgee_counts_lost_total',
    help: 'Counts that were refused or dropped because the capacity was reached, and names whose counts the store has lost',
    type: 'counter',
    read: ({ counts: { risk } }) => risk.refused + risk.dropped + risk.lost,
  },
  {
    name: 'burgee_reports_total',
    help: 'Reports of SDKs and relays that were accepted',
    type: 'counter',
    read: ({ reports: { reportCounts } }) =>
      Object.entries(reportCounts).map(([kind, count]) => [{ kind }, count] as const),
  },
  {
    name: 'burgee_reports_dropped_total',
    help: 'Parts of reports that were not counted, by reason (docs/metrics.md)',
    type: 'counter',
    read: ({ reports: { dropped } }) => Object.entries(dropped).map(([reason, count]) => [{ reason }, count] as const),
  },
  {
    name: 'burgee_reported_names_waiting',
    help: 'Names of flags, variants and instances that were reported and are not counted yet',
    type: 'gauge',
    read: ({ reports }) => reports.waiting,
  },
  {
    name: 'burgee_flags_seen',
    help: 'Pairs of a flag and an environment whose last use is known',
    type: 'gauge',
    read: ({ flagUse }) => flagUse.size,
  },
  {
    name: 'burgee_applications',
    help: 'Applications that are known',
    type: 'gauge',
    read: ({ state }) => state.size('applications'),
  },
  {
    name: 'burgee_connections',
    help: 'SDKs that are known to be connected to this process (docs/propagation.md)',
    type: 'gauge',
    read: ({ propagation }) => propagation.open(),
  },
  {
    name: 'burgee_receipts_total',
    help: 'Newer lists and changes that were sent to tracked SDKs (docs/propagation.md)',
    type: 'counter',
    read: ({ propagation }) => propagation.receipts,
  },
  {
    name: 'burgee_connections_refused_total',
    help: 'How often an SDK was not tracked because the capacity was reached (docs/propagation.md)',
    type: 'counter',
    read: ({ propagation }) => propagation.refused,
  },
  {
    name: 'burgee_impact_lines',
    help: 'Lines of this page with metrics that applications measure themselves',
    type: 'gauge',
    read: ({ impactMetrics }) => impactMetrics.lines,
  },
  {
    name: 'burgee_impact_dropped_total',
    help: 'Samples of applications that were not kept, by reason (docs/metrics.md)',
    type: 'counter',
    read: ({ impactMetrics: { dropped } }) =>
      Object.entries(dropped).map(([reason, count]) => [{ reason }, count] as const),
  },
  {
    name: 'burgee_lag_commits',
    help: 'Commits of other replicas that are known and not applied yet',
    type: 'gauge',
    read: ({ membership }) => membership?.status().lag.commits,
  },
  {
    name: 'burgee_losses_total',
    help: 'How often the store came back without commits of this replica, or with another history',
    type: 'counter',
    read: ({ membership }) => membership?.status().losses.found,
  },
  {
    name: 'burgee_refills_total',
    help: 'Losses that this replica repaired from its memory',
    type: 'counter',
    read: ({ membership }) => membership?.status().losses.refilled,
  },
  {
    name: 'burgee_given_up_commits_total',
    help: 'Commits that this replica had applied and that are no longer part of the history',
    type: 'counter',
    read: ({ membership }) => membership?.status().losses.givenUp,
  },
  {
    name: 'burgee_audit_events',
    help: 'Stored audit events',
    type: 'gauge',
    read: ({ auditLogRetention }) => auditLogRetention.status?.count,
  },
  {
    name: 'burgee_audit_events_first_id',
    help: 'Id of the oldest stored audit event; if there is none, the id of the next audit event',
    type: 'gauge',
    read: ({ auditLogRetention }) => auditLogRetention.status?.firstId,
  },
  {
    name: 'burgee_audit_events_bytes',
    help: 'Size of the audit events in the store; left out until it is measured',
    type: 'gauge',
    read: ({ auditLogRetention }) => auditLogRetention.status?.sizeBytes ?? undefined,
  },
  {
    name: 'burgee_audit_events_year_bytes',
    help: 'Estimated size of one year of audit events; left out if the stored audit events cover less than a day',
    type: 'gauge',
    read: ({ auditLogRetention }) => auditLogRetention.status?.yearBytes ?? undefined,
  },
];

function scrapeOf(more: readonly Gauge[], operationId = 'getGauges', path = '/internal-backstage/prometheus') {
  return route(`GET ${path}`, {
    operationId,
    access: { permission: 'NONE', backstage: true },
    summary: 'Metrics for Prometheus',
    description:
      'Metrics of this process, and metrics that applications reported to it (`impactMetrics`). If `BACKSTAGE_TOKEN` is not set, metrics with the ' +
      'names of private projects are left out.',
    responses: {
      200: {
        description: 'Metrics in the text format of Prometheus',
        schema: Type.String(),
        contentType: PROMETHEUS_TYPE,
      },
    },
    errors: [401],
    handle: (_request, services) => textAnswer(texts(services, more)),
  });
}

const scrapeImpact = route('GET /internal-backstage/impact/metrics', {
  operationId: 'getImpactMetrics',
  access: { permission: 'NONE', backstage: true },
  summary: 'Metrics that applications reported, for Prometheus',
  description:
    'The part of `/internal-backstage/prometheus` that applications reported. Empty if there are private projects and `BACKSTAGE_TOKEN` is not ' +
    'set, because labels may contain names of flags.',
  responses: {
    200: {
      description: 'Metrics in the text format of Prometheus',
      schema: Type.String(),
      contentType: PROMETHEUS_TYPE,
    },
  },
  errors: [401],
  handle: (_request, services) => textAnswer(impactTexts(services)),
});

function textAnswer(pieces: Iterable<string>): Answer {
  return { status: 200, pieces, headers: { 'content-type': PROMETHEUS_TYPE } };
}

function* texts(services: Services, more: readonly Gauge[]): Generator<string, void, void> {
  for (const gauge of [...GAUGES, ...more]) yield textOf(gauge, services);
  for (const gauge of UNLEASH_GAUGES) yield textOf(gauge, services);
  yield* processTexts(services);
  yield* services.http().stats.texts();
  yield* services.flagStats.texts(shownNames(services));
  yield* impactTexts(services);
}

/** Whether scrapes must send `BACKSTAGE_TOKEN`. If so, the metrics may name all projects and flags. */
function mayShowAllNames({ config }: Services): boolean {
  return config.backstageToken !== '';
}

/** The projects and flags that a scrape may name. Without `BACKSTAGE_TOKEN`, anyone may scrape, so private projects are left out. */
function shownNames(services: Services): ShownNames {
  if (mayShowAllNames(services)) return { showsProject: () => true, showsFlag: () => true };
  const { state } = services;
  const showsProject = (id: string) => state.get('projects', id)?.mode !== 'private';
  const showsFlag = (name: string) => {
    const feature = state.get('features', name);
    return feature !== undefined && showsProject(feature.project);
  };
  return { showsProject, showsFlag };
}

/** The metrics of applications. Applications choose the labels, which may name any flag, so either all lines are returned or no line. */
function impactTexts(services: Services): Iterable<string> {
  const { state, impactMetrics, clock } = services;
  const mayShowLabels =
    mayShowAllNames(services) || [...state.values('projects')].every(({ mode }) => mode !== 'private');
  return mayShowLabels ? impactMetrics.texts(clock.nowMs()) : [];
}

function textOf({ name, help, type, read }: Gauge, services: Services): string {
  const result = read(services);
  if (result === undefined) return '';
  const samples = typeof result === 'number' ? [[{}, result] as const] : result;
  const lines = samples.map(([labels, value]) => sampleText(name, labelText(Object.entries(labels)), value));
  return headText(name, help, type) + lines.join('');
}

/** The scrape endpoints, with additional metrics, and also under the path of Unleash Edge. */
export function gaugeEndpointsWith(more: readonly Gauge[]) {
  return [scrapeOf(more), scrapeOf(more, 'getRelayGauges', '/internal-backstage/metrics'), scrapeImpact];
}

export const gaugeEndpoints = [scrapeOf([]), scrapeImpact];
