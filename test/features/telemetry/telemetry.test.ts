import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import type { Logger } from '../../../src/base/logger.ts';
import { metricsOfPage } from '../../../src/features/telemetry/page-metrics.ts';
import type { WriteNote } from '../../../src/http/observed-writes.ts';
import { accepted } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { ADMIN_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { attributesOf, Collector, fieldsOf } from './collector.ts';

let collector: Collector;
const services: TestService[] = [];

beforeEach(async () => {
  collector = await Collector.start();
});
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
  await collector.close();
});

async function start(
  env: Record<string, string> = {},
  { logger, clock }: { logger?: Logger; clock?: Clock } = {},
): Promise<TestService> {
  const service = await startTestService({
    ...(clock && { clock }),
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRIC_EXPORT_INTERVAL: '100',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      ...env,
    },
    ...(logger && { logger }),
  });
  services.push(service);
  return service;
}

const untilReceived = (path: string) =>
  until(
    async () => collector.received.filter((each) => each.path === path),
    (requests) => requests.length > 0,
  );

const WRITE: WriteNote = {
  operationId: 'some',
  method: 'POST',
  route: '/api/admin/some',
  status: 200,
  startMs: 1_000,
  durationMs: 1,
  traceparent: undefined,
  userId: null,
  revision: undefined,
};

describe('OpenTelemetry', () => {
  it('gets every metric of the page for Prometheus', async () => {
    const service = await start({ OTEL_TRACES_EXPORTER: 'none' });
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'measured' } });
    const { seq } = service.running.services.state;
    await until(
      async () => collector.metrics.get('burgee_revision')?.gauge.dataPoints[0].asDouble,
      (revision) => revision >= seq,
    );
    const { text } = await accepted(service, 'getGauges', { token: null });
    const wanted = metricsOfPage(text).map(({ name }) => name);
    expect(wanted.length).toBeGreaterThan(50);
    const { metrics } = collector;
    // A route may be called for the first time after the export: only its samples are new, not its metric.
    expect(wanted.filter((name) => !metrics.has(name))).toEqual([]);
    const requests = metrics.get('http_request_duration_milliseconds_count');
    expect(requests.sum.isMonotonic).toBe(true);
    const created = requests.sum.dataPoints.find(
      (point: never) => attributesOf(point).path === '/api/admin/projects/:projectId/features',
    );
    expect([created.asDouble, attributesOf(created)]).toEqual([
      1,
      expect.objectContaining({ method: 'POST', status: '201' }),
    ]);
    expect(collector.received.every(({ path }) => path === '/v1/metrics')).toBe(true);
  });

  it('gets a span of each admin write, as a child of the trace of the request', async () => {
    const service = await start({ OTEL_METRICS_EXPORTER: 'none' });
    await putUser(service, 81, { rootRole: 2 });
    const token = await personalTokenOf(service, 81);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const request = { params: { projectId: 'default' }, body: { name: 'secret-name' }, token };
    const { headers } = await accepted(service, 'createFeature', { ...request, headers: { traceparent } });
    await service.call('createFeature', request);
    await accepted(service, 'getFeature', { params: { projectId: 'default', featureName: 'secret-name' } });
    const spans = await until(
      async () => collector.spans,
      (found) => found.length >= 2,
    );
    expect(spans).toHaveLength(2);
    const [created, refused] = spans;
    expect(created).toMatchObject({
      name: 'POST /api/admin/projects/:projectId/features',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
      kind: 2,
    });
    const common = {
      'http.request.method': 'POST',
      'http.route': '/api/admin/projects/:projectId/features',
      'user.id': '81',
    };
    expect(attributesOf(created)).toEqual({
      ...common,
      'http.response.status_code': 201,
      'burgee.operation': 'createFeature',
      'burgee.revision': headers.get('burgee-revision'),
    });
    expect(attributesOf(refused)).toEqual({
      ...common,
      'http.response.status_code': 409,
      'burgee.operation': 'createFeature',
    });
    expect(refused.traceId).not.toBe(created.traceId);
    expect(BigInt(created.endTimeUnixNano) > BigInt(created.startTimeUnixNano)).toBe(true);
  });

  it('gets the headers and the resource that the standard variables set, and no secrets', async () => {
    const service = await start({
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector,x-tenant=1',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging,service.name=overridden',
      OTEL_SERVICE_NAME: 'flags',
    });
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'secret-name' } });
    await untilReceived('/v1/traces');
    await untilReceived('/v1/metrics');
    for (const { path, headers, bytes } of collector.received) {
      expect(headers).toMatchObject({ authorization: 'Bearer of-the-collector', 'x-tenant': '1' });
      const document = JSON.parse(bytes.toString());
      const [{ resource }] = document.resourceSpans ?? document.resourceMetrics;
      expect(attributesOf(resource)).toMatchObject({
        'service.name': 'flags',
        'deployment.environment.name': 'staging',
      });
      for (const secret of [ADMIN_TOKEN, 'test-admin', 'test-client', 'of-the-collector'])
        expect(bytes.includes(secret)).toBe(false);
      if (path === '/v1/traces') expect(bytes.includes('secret-name')).toBe(false);
    }
  });

  it('gets Protocol Buffers by default, at the addresses that are set for each kind', async () => {
    const service = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: '',
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/own/metrics`,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/traces`,
      OTEL_EXPORTER_OTLP_PROTOCOL: '',
    });
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'measured' } });
    const [metrics] = await untilReceived('/own/metrics');
    const [traces] = await untilReceived('/own/traces');
    expect([metrics?.headers['content-type'], traces?.headers['content-type']]).toEqual(
      Array(2).fill('application/x-protobuf'),
    );
    // resource_metrics (1), scope_metrics (2), metrics (2), name (1); resource_spans (1), scope_spans (2), spans (2), name (5).
    const inside = (bytes: Buffer, ...path: number[]) =>
      path.reduce((messages, field) => messages.flatMap((each) => fieldsOf(each, field)), [bytes]);
    const names = inside(metrics?.bytes ?? Buffer.alloc(0), 1, 2, 2, 1).map(String);
    expect(names).toContain('burgee_revision');
    expect(inside(traces?.bytes ?? Buffer.alloc(0), 1, 2, 2, 5).map(String)).toEqual([
      'POST /api/admin/projects/:projectId/features',
    ]);
  });

  it('delays no request and keeps a bounded number of spans while the collector does not answer', async () => {
    collector.mode = 'hang';
    const service = await start({ OTEL_EXPORTER_OTLP_TIMEOUT: '60000' });
    const { telemetry } = service.running.services;
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'measured' } });
    await untilReceived('/v1/traces');
    await untilReceived('/v1/metrics');
    const exports = collector.received.length;
    for (let count = 0; count < 5_000; count++) telemetry?.note(WRITE);
    expect([telemetry?.waiting, telemetry?.dropped]).toEqual([2_048, 5_000 - 2_048]);
    await accepted(service, 'deleteFeature', { params: { projectId: 'default', featureName: 'measured' } });
    // One export of each kind is in progress, and no other one begins.
    expect(collector.received.length).toBe(exports);
  });

  it('logs once that the collector refuses, and once that it accepts again', async () => {
    const logged: string[] = [];
    const note = (fields: { kind?: string }, text: string) =>
      void (/collector/.test(text) && logged.push(`${fields.kind} ${text}`));
    const logger = { debug: note, info: note, warn: note, error: note, fatal: note } as unknown as Logger;
    collector.mode = 'refuse';
    await start({ OTEL_TRACES_EXPORTER: 'none' }, { logger });
    await until(
      async () => collector.received.length,
      (count) => count >= 3,
    );
    expect(logged).toEqual([expect.stringMatching(/^metrics .* does not accept data/)]);
    collector.mode = 'accept';
    await until(
      async () => logged.length,
      (count) => count >= 2,
    );
    expect(logged[1]).toMatch(/^metrics .* accepts data again/);
  });

  it('sends what is left when the service stops', async () => {
    // No time passes, so neither an interval nor the time limit of the stop ends.
    const service = await start({}, { clock: new ManualClock() });
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name: 'measured' } });
    expect(collector.received).toEqual([]);
    await service.running.close();
    expect(collector.spans).toHaveLength(1);
    expect(collector.metrics.has('burgee_revision')).toBe(true);
  });

  it('is off without an endpoint, or if it is disabled, and refuses settings that it does not support', async () => {
    const off: readonly Record<string, string>[] = [
      { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
      { OTEL_SDK_DISABLED: 'true' },
      { OTEL_METRICS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none' },
    ];
    for (const env of off) expect((await start(env)).running.services.telemetry).toBeUndefined();
    for (const [env, message] of [
      [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL must be'],
      [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER must be'],
      [{ OTEL_EXPORTER_OTLP_HEADERS: 'a-secret-without-a-name' }, 'OTEL_EXPORTER_OTLP_HEADERS must be'],
    ] as const) {
      const error = await start(env).then(
        () => '',
        (reason: Error) => reason.message,
      );
      expect(error).toContain(message);
      expect(error).not.toContain('secret');
    }
  });
});

describe('the page of metrics', () => {
  it('is read with its types, labels and texts', () => {
    const page = [
      '# HELP a What it\\nmeans',
      '# TYPE a counter',
      'a{name="x \\"y\\" \\\\ \\n,{}",other="2"} 5',
      'a 1.5',
      '# HELP s Times',
      '# TYPE s summary',
      's{path="/",quantile="0.5"} 3',
      's_sum{path="/"} 9',
      's_count{path="/"} 2',
      '# TYPE h histogram',
      'h_bucket{le="1"} 2',
      'h_bucket{le="5"} 3',
      'h_bucket{le="+Inf"} 7',
      'h_sum 30',
      'h_count 7',
      '# TYPE g_sum gauge',
      'g_sum -1',
      '',
    ].join('\n');
    expect(metricsOfPage(page)).toEqual([
      {
        kind: 'sum',
        name: 'a',
        help: 'What it\nmeans',
        samples: [
          { labels: { name: 'x "y" \\ \n,{}', other: '2' }, value: 5 },
          { labels: {}, value: 1.5 },
        ],
      },
      { kind: 'gauge', name: 's', help: 'Times', samples: [{ labels: { path: '/', quantile: '0.5' }, value: 3 }] },
      { kind: 'sum', name: 's_sum', help: 'Times', samples: [{ labels: { path: '/' }, value: 9 }] },
      { kind: 'sum', name: 's_count', help: 'Times', samples: [{ labels: { path: '/' }, value: 2 }] },
      {
        kind: 'histogram',
        name: 'h',
        help: '',
        samples: [{ labels: {}, sum: 30, count: 7, boundaries: [1, 5], counts: [2, 1, 4] }],
      },
      { kind: 'gauge', name: 'g_sum', help: '', samples: [{ labels: {}, value: -1 }] },
    ]);
  });
});
