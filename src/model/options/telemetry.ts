const text = { kind: 'text', default: '' } as const;
const url = { kind: 'url', default: '' } as const;

/** Standard variables of OpenTelemetry (docs/operate/opentelemetry.md). Without an endpoint, nothing of it is loaded. */
export const TELEMETRY_OPTIONS = {
  otelEndpoint: {
    ...url,
    env: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
    description:
      'Base address of an OpenTelemetry collector, such as `http://collector:4318`. Metrics and traces of admin writes are sent to `/v1/metrics` and ' +
      '`/v1/traces` there (docs/operate/opentelemetry.md). Empty: nothing is sent.',
  },
  otelMetricsEndpoint: {
    ...url,
    env: ['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'],
    description: 'Whole address for metrics, instead of the one below `OTEL_EXPORTER_OTLP_ENDPOINT`.',
  },
  otelTracesEndpoint: {
    ...url,
    env: ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
    description: 'Whole address for traces, instead of the one below `OTEL_EXPORTER_OTLP_ENDPOINT`.',
  },
  otelHeaders: {
    ...text,
    env: ['OTEL_EXPORTER_OTLP_HEADERS'],
    secret: true,
    description: 'Headers for the collector: `name=value`, comma-separated, percent-encoded.',
  },
  otelProtocol: {
    ...text,
    env: ['OTEL_EXPORTER_OTLP_PROTOCOL'],
    default: 'http/protobuf',
    description: '`http/protobuf` or `http/json`.',
  },
  otelTimeoutMs: {
    env: ['OTEL_EXPORTER_OTLP_TIMEOUT'],
    kind: 'integer',
    min: 1,
    max: 600_000,
    default: '10000',
    description: 'Maximum time for one request to the collector, with its repetitions.',
  },
  otelMetricsExporter: {
    ...text,
    env: ['OTEL_METRICS_EXPORTER'],
    default: 'otlp',
    description: '`none`: no metrics are sent.',
  },
  otelTracesExporter: {
    ...text,
    env: ['OTEL_TRACES_EXPORTER'],
    default: 'otlp',
    description: '`none`: no traces are sent.',
  },
  otelMetricIntervalMs: {
    env: ['OTEL_METRIC_EXPORT_INTERVAL'],
    kind: 'integer',
    min: 100,
    default: '60000',
    description: 'Interval at which metrics are sent.',
  },
  otelTraceDelayMs: {
    env: ['OTEL_BSP_SCHEDULE_DELAY'],
    kind: 'integer',
    min: 100,
    default: '5000',
    description: 'Interval at which traces are sent.',
  },
  otelServiceName: {
    ...text,
    env: ['OTEL_SERVICE_NAME'],
    default: 'burgee',
    description: 'Name of this service in metrics and traces.',
  },
  otelResourceAttributes: {
    ...text,
    env: ['OTEL_RESOURCE_ATTRIBUTES'],
    description: 'Further attributes of this process: `name=value`, comma-separated, percent-encoded.',
  },
  otelDisabled: {
    env: ['OTEL_SDK_DISABLED'],
    kind: 'boolean',
    default: 'false',
    description: 'Turns OpenTelemetry off, whatever the other variables say.',
  },
} as const;
