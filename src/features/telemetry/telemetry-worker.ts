import { defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, ValueType } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { VERSION } from '../../base/version.ts';
import type { WriteNote } from '../../http/observed-writes.ts';
import { metricsOfPage, type PageMetric } from './page-metrics.ts';
import type { Target, TelemetryResult, TelemetryTask } from './protocol.ts';

/** Maximum number of data points in one request to the collector. */
const POINTS_MAX = 5_000;

const SCOPE = { name: 'burgee', version: VERSION };

/** Sends metrics or traces to a collector, in a separate thread: encoding thousands of values would block the event loop. */
export default async function telemetryTask(task: TelemetryTask): Promise<TelemetryResult> {
  try {
    return await (task.kind === 'metrics' ? sendMetrics(task) : sendTraces(task.target, task.writes));
  } catch (error) {
    return reasonOf(error);
  }
}

async function sendMetrics(task: Extract<TelemetryTask, { kind: 'metrics' }>): Promise<TelemetryResult> {
  const { target, page, processStartMs, nowMs } = task;
  const Exporter = target.protocol === 'http/json' ? JsonMetricExporter : OTLPMetricExporter;
  const exporter = new Exporter(exporterOptions(target));
  const resource = resourceFromAttributes({ ...target.resource });
  const times = { startTime: timeOf(processStartMs), endTime: timeOf(nowMs) };
  try {
    for (const metrics of batches(metricsOfPage(page))) {
      const scopeMetrics = [{ scope: SCOPE, metrics: metrics.map((metric) => dataOf(metric, times)) }];
      const result = await exported((done) => exporter.export({ resource, scopeMetrics }, done));
      if (result !== null) return result;
    }
    return null;
  } finally {
    await exporter.shutdown();
  }
}

/** The metrics in groups of at most `POINTS_MAX` samples; a metric with more of them is divided. */
function* batches(metrics: readonly PageMetric[]): Generator<PageMetric[]> {
  let batch: PageMetric[] = [];
  let points = 0;
  for (const metric of metrics) {
    for (let from = 0; from < metric.samples.length; ) {
      const samples = metric.samples.slice(from, from + POINTS_MAX - points);
      batch.push({ ...metric, samples } as PageMetric);
      from += samples.length;
      points += samples.length;
      if (points < POINTS_MAX) continue;
      yield batch;
      [batch, points] = [[], 0];
    }
  }
  if (batch.length > 0) yield batch;
}

type Times = { readonly startTime: [number, number]; readonly endTime: [number, number] };

function dataOf(metric: PageMetric, times: Times): MetricData {
  const descriptor = { name: metric.name, description: metric.help, unit: '', valueType: ValueType.DOUBLE };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (metric.kind === 'histogram') {
    const dataPoints = metric.samples.map(({ labels, sum, count, boundaries, counts }) => ({
      ...times,
      attributes: { ...labels },
      value: { buckets: { boundaries: [...boundaries], counts: [...counts] }, sum, count },
    }));
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = metric.samples.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  return metric.kind === 'sum'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

async function sendTraces(target: Target, writes: readonly WriteNote[]): Promise<TelemetryResult> {
  const Exporter = target.protocol === 'http/json' ? JsonTraceExporter : OTLPTraceExporter;
  const exporter = new Exporter(exporterOptions(target));
  try {
    const spans = spansOf(target, writes);
    return spans.length === 0 ? null : await exported((done) => exporter.export(spans, done));
  } finally {
    await exporter.shutdown();
  }
}

/** The spans that the sampler keeps; `OTEL_TRACES_SAMPLER` sets it. */
function spansOf({ resource }: Target, writes: readonly WriteNote[]): ReadableSpan[] {
  const spans: ReadableSpan[] = [];
  const collector = {
    onStart: () => {},
    onEnd: (span: ReadableSpan) => void spans.push(span),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ ...resource }),
    spanProcessors: [collector],
  });
  const tracer = provider.getTracer(SCOPE.name, SCOPE.version);
  const propagator = new W3CTraceContextPropagator();
  for (const write of writes) {
    const { operationId, method, route, status, startMs, durationMs, traceparent, userId, revision } = write;
    const parent = propagator.extract(
      ROOT_CONTEXT,
      traceparent === undefined ? {} : { traceparent },
      defaultTextMapGetter,
    );
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'burgee.operation': operationId,
      ...(userId !== null && { 'user.id': userId }),
      ...(revision !== undefined && { 'burgee.revision': revision }),
    };
    const options = { kind: SpanKind.SERVER, startTime: startMs, attributes };
    const span = tracer.startSpan(`${method} ${route}`, options, parent);
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(startMs + durationMs);
  }
  return spans;
}

function exporterOptions({ url, headers, timeoutMs }: Target) {
  return { url, headers: { ...headers }, timeoutMillis: timeoutMs };
}

function exported(send: (done: (result: ExportResult) => void) => void): Promise<TelemetryResult> {
  return new Promise((resolve) => {
    send(({ code, error }) => resolve(code === ExportResultCode.SUCCESS ? null : reasonOf(error)));
  });
}

/** The kind of the error and its code. Its text may contain what the collector answered. */
function reasonOf(error: unknown): string {
  const { name = 'Error', code } = (error ?? {}) as { readonly name?: string; readonly code?: unknown };
  return code === undefined ? name : `${name} ${String(code).slice(0, 50)}`;
}

function timeOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}
