import type { Services } from '../../services.ts';
import { counter, type Gauge, gauge } from '../../shared/gauge.ts';

/** The number of each integration. The limit of integrations bounds the number of lines. */
function ofEach(
  { deliveries }: Services,
  read: (status: ReturnType<Services['deliveries']['statuses']>[number]) => number,
) {
  return deliveries
    .statuses()
    .map((status) => [{ addon: String(status.addon.id), provider: status.addon.provider }, read(status)] as const);
}

/** Metrics of integrations (docs/extend/addons.md). */
export const gauges: readonly Gauge[] = [
  counter(
    'burgee_addon_attempts_total',
    'Attempts of this process to send an event to the destination of an integration, by result',
    ({ deliveries: { counts } }) => Object.entries(counts).map(([state, count]) => [{ state }, count] as const),
  ),
  gauge(
    'burgee_addon_waiting_events',
    'Audit events after the last one that the integration has sent or does not send',
    (services) => ofEach(services, ({ waiting }) => waiting),
  ),
  gauge('burgee_addon_failing', '1 while attempts of the integration fail', (services) =>
    ofEach(services, ({ isFailing }) => Number(isFailing)),
  ),
  gauge(
    'burgee_addon_parked',
    '1 if attempts of the integration failed for a day: it sends nothing until it is changed',
    (services) => ofEach(services, ({ isParked }) => Number(isParked)),
  ),
];
