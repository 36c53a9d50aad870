import { hostname } from 'node:os';
import { packedScript } from '../../base/built-worker.ts';
import { ConfigError } from '../../base/options.ts';
import { VERSION } from '../../base/version.ts';
import type { Config } from '../../config.ts';
import { metricTexts } from '../instance/operations/prometheus-page.ts';
import type { Services } from '../services.ts';
import type { Target } from './protocol.ts';
import { Telemetry } from './telemetry.ts';

interface TelemetryParts {
  /** Sends metrics and traces to a collector of OpenTelemetry; undefined if no collector is configured. */
  readonly telemetry: Telemetry | undefined;
}

declare module '../services.ts' {
  interface FeatureParts extends TelemetryParts {}
}

/** A service that gets its flags from a source has no admin writes, and its collector reads the page for Prometheus. */
export function telemetryParts(services: Services): TelemetryParts {
  const { config, clock, logger, components, source } = services;
  const { metrics, traces } = targetsOf(config);
  if (source || (!metrics && !traces)) return { telemetry: undefined };
  const telemetry = new Telemetry({
    clock,
    logger,
    metrics,
    traces,
    workerFile: packedScript('telemetry-worker'),
    metricIntervalMs: config.otelMetricIntervalMs,
    traceDelayMs: config.otelTraceDelayMs,
    page: () => metricTexts(services),
  });
  components.add({ name: 'telemetry', start: () => telemetry.start(), close: () => telemetry.close() });
  return { telemetry };
}

/** Where metrics and traces are sent. @throws ConfigError */
export function targetsOf(config: Config) {
  return { metrics: targetOf(config, 'metrics'), traces: targetOf(config, 'traces') };
}

/** Undefined if this kind is not sent. @throws ConfigError */
function targetOf(config: Config, kind: 'metrics' | 'traces'): Target | undefined {
  const isMetrics = kind === 'metrics';
  const exporter = isMetrics ? config.otelMetricsExporter : config.otelTracesExporter;
  const own = isMetrics ? config.otelMetricsEndpoint : config.otelTracesEndpoint;
  const base = config.otelEndpoint === '' ? '' : `${config.otelEndpoint.replace(/\/+$/, '')}/v1/${kind}`;
  const url = own || base;
  if (url === '' || config.otelDisabled || exporter === 'none') return undefined;
  if (exporter !== 'otlp')
    throw new ConfigError(`${isMetrics ? 'OTEL_METRICS_EXPORTER' : 'OTEL_TRACES_EXPORTER'} must be otlp or none`);
  const { otelProtocol: protocol, otelTimeoutMs: timeoutMs } = config;
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    throw new ConfigError('OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json');
  const headers = pairsOf(config.otelHeaders, 'OTEL_EXPORTER_OTLP_HEADERS');
  const resource = {
    'service.version': VERSION,
    'host.name': hostname(),
    'service.instance.id': `${hostname()}:${process.pid}`,
    ...pairsOf(config.otelResourceAttributes, 'OTEL_RESOURCE_ATTRIBUTES'),
    'service.name': config.otelServiceName,
  };
  return { url, protocol, headers, timeoutMs, resource };
}

/** `name=value`, comma-separated; both may be percent-encoded. @throws ConfigError */
function pairsOf(text: string, variable: string): Record<string, string> {
  const pairs: [string, string][] = [];
  for (const pair of text.split(',')) {
    if (pair.trim() === '') continue;
    const equals = pair.indexOf('=');
    try {
      if (equals < 1) throw new Error('no name');
      pairs.push([decodeURIComponent(pair.slice(0, equals).trim()), decodeURIComponent(pair.slice(equals + 1).trim())]);
    } catch {
      // The value may be a secret.
      throw new ConfigError(`${variable} must be name=value, comma-separated, percent-encoded`);
    }
  }
  return Object.fromEntries(pairs);
}
