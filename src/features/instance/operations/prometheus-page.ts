import Type from 'typebox';
import { headText, labelText, PROMETHEUS_TYPE, sampleText } from '../../../base/prometheus-text.ts';
import type { Answer } from '../../../http/answer.ts';
import { REFUSAL_REASONS } from '../../../stores/refusal-texts.ts';
import { routesOf } from '../../endpoint.ts';
import type { Services } from '../../services.ts';
import { counter, type Gauge, gauge } from '../../shared/gauge.ts';
import type { ShownNames } from '../../usage/flag-stats.ts';
import { HOST_GAUGES } from './host-gauges.ts';
import { processTexts } from './process-gauges.ts';
import { UNLEASH_GAUGES } from './unleash-gauges.ts';

const route = routesOf('Operational');

/** Metrics of the engine, of the HTTP server and of the host. Each feature states its own (`gauges` in its module). */
const GAUGES: readonly Gauge[] = [
  gauge('burgee_revision', 'Sequence number of the newest applied commit', ({ state }) => state.seq),
  gauge('burgee_ready', '1 when this process should get requests, as /ready says; 0 otherwise', ({ ready }) =>
    Number(ready()),
  ),
  gauge('burgee_store_reachable', '1 when the store is reachable', ({ store }) => Number(store.status().reachable)),
  gauge(
    'burgee_writes_refused',
    '1 for the reason for which writes are refused; 0 for all other reasons',
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
    'How often writes were decided again because another replica had committed first',
    ({ writer }) => writer.conflicts,
  ),
  gauge('burgee_http_front', '1 for the HTTP server of this process (`HTTP_FRONT`); 0 for the other one', ({ http }) =>
    (['fast', 'node'] as const).map((front) => [{ front }, Number(http().front === front)] as const),
  ),
  gauge('burgee_streams', 'Open streams', ({ http }) => http().streams),
  gauge(
    'burgee_snapshot_behind_commits',
    'Commits after the newest snapshot that this process knows. They are replayed at the next start',
    ({ snapshotter }) => snapshotter.commitsAfterSnapshot,
  ),
  gauge(
    'burgee_snapshot_age_seconds',
    'How long ago this process took its newest snapshot; left out until it takes one',
    ({ snapshotter: { snapshotTakenMs } }) =>
      snapshotTakenMs === undefined ? undefined : (performance.now() - snapshotTakenMs) / 1_000,
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
    'Losses that this replica repaired from its memory',
    ({ membership }) => membership?.status().losses.refilled,
  ),
  counter(
    'burgee_given_up_commits_total',
    'Commits that this replica had applied and that are no longer part of the history',
    ({ membership }) => membership?.status().losses.givenUp,
  ),
  ...HOST_GAUGES,
];

/** What all pages of metrics have in common. */
const METRICS = {
  access: { permission: 'NONE', backstage: true },
  responses: {
    200: {
      description: 'Metrics in the text format of Prometheus',
      schema: Type.String(),
      contentType: PROMETHEUS_TYPE,
    },
  },
  errors: [401],
} as const;

function scrapeOf(more: readonly Gauge[], operationId = 'getGauges', path = '/internal-backstage/prometheus') {
  return route(`GET ${path}`, operationId, {
    summary: 'Metrics for Prometheus',
    description:
      'Metrics of this process, and metrics that applications reported to it (`impactMetrics`). If `BACKSTAGE_TOKEN` is not set, metrics with the ' +
      'names of private projects are left out. With `IMPACT_METRIC_NAMES=unleash-8`, metrics of applications are only at their own path.',
    ...METRICS,
    handle: (_request, services) => textAnswer(metricTexts(services, more)),
  });
}

const scrapeImpact = route('GET /internal-backstage/impact/metrics', 'getImpactMetrics', {
  summary: 'Metrics that applications reported, for Prometheus',
  description:
    'Only the metrics that applications reported. Empty if there are private projects and `BACKSTAGE_TOKEN` is not ' +
    'set, because labels may contain names of flags.',
  ...METRICS,
  handle: (_request, services) => textAnswer(impactTexts(services)),
});

function textAnswer(pieces: Iterable<string>): Answer {
  return { status: 200, pieces, headers: { 'content-type': PROMETHEUS_TYPE } };
}

/** The page of all metrics, in pieces. */
export function* metricTexts(services: Services, more: readonly Gauge[] = []): Generator<string, void, void> {
  for (const one of [...GAUGES, ...services.gauges, ...more, ...UNLEASH_GAUGES]) yield textOf(one, services);
  yield* processTexts(services);
  yield* services.http().stats.texts();
  yield* services.flagStats.texts(shownNames(services));
  // Without a prefix, a metric of an application could have the name of one above.
  if (services.config.impactNames === 'prefixed') yield* impactTexts(services);
}

/** Whether scrapes must send `BACKSTAGE_TOKEN`. If so, the metrics may name all projects and flags. */
function mayShowAllNames({ config }: Services): boolean {
  return config.backstageToken !== '';
}

/** The projects and flags that a scrape may name. Without `BACKSTAGE_TOKEN`, anyone may scrape, so private projects are left out. */
function shownNames(services: Services): ShownNames {
  const showsApplications = mayShowApplications(services);
  if (mayShowAllNames(services)) return { showsProject: () => true, showsFlag: () => true, showsApplications };
  const { state } = services;
  const showsProject = (id: string) => state.get('projects', id)?.mode !== 'private';
  const showsFlag = (name: string) => {
    const feature = state.get('features', name);
    return feature !== undefined && showsProject(feature.project);
  };
  return { showsProject, showsFlag, showsApplications };
}

/**
 * Whether a scrape may show what applications report under names of their own choice, such as the labels of metrics and the names of SDKs. It is not
 * known which of them belong to a private project, so either all of them are shown or none.
 */
function mayShowApplications(services: Services): boolean {
  return mayShowAllNames(services) || [...services.state.values('projects')].every(({ mode }) => mode !== 'private');
}

/** The metrics of applications. */
function impactTexts(services: Services): Iterable<string> {
  const { impactMetrics, clock } = services;
  return mayShowApplications(services) ? impactMetrics.texts(clock.nowMs()) : [];
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
