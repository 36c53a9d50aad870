import type { AnyEndpoint } from '../http/endpoint.ts';
import type { RequestWaits } from '../http/request-waits.ts';
import type { Services } from './services.ts';
import type { FlagFigures } from './usage/flag-figures.ts';
import type { ImpactSink } from './usage/impact-metrics.ts';
import type { ReportSink } from './usage/report-sink.ts';

/**
 * Where a service has its flags and tokens from that are not its own: another service, a file. It is the one writer of that service's state
 * (`products/mirror/mirror.ts`, `products/mirror/mirror-tokens.ts`); everything that reads the state works as it does everywhere (docs/decisions/relay.md).
 */
export interface Source {
  /** The routes of such a service. */
  readonly endpoints: readonly AnyEndpoint<Services>[];
  /** What its requests wait for, beside revisions. */
  readonly waits?: RequestWaits;
  /** Where reports of SDKs go; without it, they are counted by the service itself. */
  readonly reports?: ReportSink;
  /** What tells Prometheus how flags are used, if the source counts that; without it, the service does. */
  readonly flagFigures?: FlagFigures;
  /** Where what applications measure themselves goes; without it, the service tells Prometheus of it itself. */
  readonly impactMetrics?: ImpactSink;
  /** Called once, with the state as the store has it, before requests are served. What it rejects with keeps the service from starting. */
  begin(services: Services): Promise<void>;
  /** No more is brought. What others were to be told is told, or kept. */
  close(): Promise<void>;
}
