import { ROLE_ID } from '../../src/model/role.ts';
import { give } from '../access/people.ts';
import { accepted, prepare } from './admin.ts';
import type { CallOptions, CallResult, TestService } from './service.ts';

/** What Prometheus Alertmanager sends to a webhook: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config. */
export function alertmanager(status: 'firing' | 'resolved' = 'firing', alertname = 'CheckoutErrors'): object {
  const labels = { alertname, instance: 'checkout-1:9100', job: 'checkout', severity: 'critical' };
  const annotations = { summary: 'More than 5 % of the requests to checkout fail' };
  const alert = {
    status,
    labels,
    annotations,
    startsAt: '2026-11-27T01:00:00.000Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus:9090/graph?g0.expr=up',
    fingerprint: '1d4e5a6b7c8d9e0f',
  };
  return {
    version: '4',
    groupKey: `{}:{alertname="${alertname}"}`,
    truncatedAlerts: 0,
    status,
    receiver: 'burgee',
    groupLabels: { alertname },
    commonLabels: labels,
    commonAnnotations: annotations,
    externalURL: 'http://alertmanager:9093',
    alerts: [alert],
  };
}

/**
 * The default payload of Datadog's webhooks with values instead of its variables, and a field with the variable $ALERT_TRANSITION:
 * https://docs.datadoghq.com/integrations/webhooks/.
 */
export function datadog(transition: 'Triggered' | 'Recovered' = 'Triggered', title = 'Checkout errors'): object {
  return {
    body: '%%%\nMore than 5 % of the requests to checkout fail\n%%%',
    last_updated: '1795741200000',
    event_type: 'metric_alert_monitor',
    title: `[${transition} on {service:checkout}] ${title}`,
    date: '1795741200000',
    org: { id: '1234567', name: 'Acme' },
    id: '7654321098765432109',
    alert_transition: transition,
  };
}

/** An endpoint with a token, and a service account that is a member of the project `default`. */
export interface SignalWorld {
  readonly endpointId: number;
  readonly tokenId: number;
  readonly token: string;
  readonly actorId: number;
}

let worlds = 0;

export async function signalWorld(service: TestService, name = `monitor-${++worlds}`): Promise<SignalWorld> {
  const endpoint = await accepted(service, 'createSignalEndpoint', { body: { name } });
  const { id: endpointId } = endpoint.body;
  const token = await accepted(service, 'createSignalEndpointToken', {
    params: { id: endpointId },
    body: { name: 'cluster' },
  });
  const account = { username: `robot-of-${name}`, name: `Robot of ${name}`, rootRole: ROLE_ID.viewer };
  const { id: actorId } = (await accepted(service, 'createServiceAccount', { body: account })).body;
  await prepare(service, (draft) => give(draft, 'default', 'user', actorId, [ROLE_ID.member]));
  return { endpointId, tokenId: token.body.id, token: token.body.token, actorId };
}

/** The headers of a monitor with this token. */
export const bearer = (token: string): Pick<CallOptions, 'headers'> => ({
  headers: { authorization: `Bearer ${token}` },
});

export async function send(service: TestService, world: SignalWorld, body: unknown): Promise<CallResult> {
  const { name } = (await accepted(service, 'getSignalEndpoint', { params: { id: world.endpointId } })).body;
  return service.call('sendSignal', { params: { name }, body, ...bearer(world.token) });
}

/** An action set that switches the flag in the environment `development`. */
export function switching(world: SignalWorld, featureName: string, rest: object = {}, payload: object = {}): object {
  return {
    name: `set of ${featureName}`,
    actorId: world.actorId,
    match: { source: 'signal-endpoint', sourceId: world.endpointId, payload },
    actions: [{ action: 'TOGGLE_FEATURE_OFF', executionParams: { environment: 'development', featureName } }],
    ...rest,
  };
}
