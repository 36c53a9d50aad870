import { getOrMake } from '../../base/get-or-make.ts';
import { type ImpactMetric, ImpactMetrics, type ImpactSink } from '../../features/usage/impact-metrics.ts';

/**
 * Gathers what applications measure themselves until it is sent upstream: sums of counters and histograms, and the last values of gauges. It is
 * upstream that reports it to Prometheus, otherwise it would be counted twice.
 */
export class ImpactBox implements ImpactSink {
  readonly #metrics = new ImpactMetrics();

  get dropped(): ImpactSink['dropped'] {
    return this.#metrics.dropped;
  }

  get lines(): number {
    return this.#metrics.lines;
  }

  report(...given: Parameters<ImpactSink['report']>): void {
    this.#metrics.report(...given);
  }

  texts(): readonly string[] {
    return [];
  }

  /** What waits. */
  peek(): Iterable<ImpactMetric> {
    return this.#metrics.reports();
  }

  /** Everything that waits, by environment; nothing waits after that. */
  take(): ReadonlyMap<string, readonly ImpactMetric[]> {
    const sent = new Map<string, ImpactMetric[]>();
    for (const { samples, ...metric } of this.#metrics.reports()) {
      const byEnvironment = new Map<string, ImpactMetric['samples'][number][]>();
      for (const sample of samples) getOrMake(byEnvironment, String(sample.labels?.environment), () => []).push(sample);
      for (const [environment, own] of byEnvironment) {
        getOrMake(sent, environment, () => []).push({ ...metric, samples: own });
      }
    }
    this.#metrics.clear();
    return sent;
  }
}
