import { getOrMake } from '../../base/get-or-make.ts';
import { type ImpactMetric, ImpactMetrics, type ImpactSink } from '../../features/impact-metrics/impact-metrics.ts';

/**
 * Collects the impact metrics of applications until they are sent upstream: sums of counters and histograms, and the last values of gauges. Only
 * upstream reports them to Prometheus. If the relay did it too, they would be counted twice.
 */
export class ImpactBox implements ImpactSink {
  readonly #metrics = new ImpactMetrics();

  get dropped(): ImpactSink['dropped'] {
    return this.#metrics.dropped;
  }

  get lines(): number {
    return this.#metrics.lines;
  }

  report(...args: Parameters<ImpactSink['report']>): void {
    this.#metrics.report(...args);
  }

  /** Returns nothing: upstream reports these metrics to Prometheus, and this relay does not. */
  texts(): readonly string[] {
    return [];
  }

  /** Returns nothing: upstream compares these metrics with its safeguards. */
  readings(): readonly never[] {
    return [];
  }

  /** Returns the waiting metrics, but does not remove them. */
  peek(): Iterable<ImpactMetric> {
    return this.#metrics.reports();
  }

  /** Returns and removes all waiting metrics, by environment. */
  take(): ReadonlyMap<string, readonly ImpactMetric[]> {
    const metricsByEnvironment = new Map<string, ImpactMetric[]>();
    for (const { samples, ...metric } of this.#metrics.reports()) {
      const byEnvironment = new Map<string, ImpactMetric['samples'][number][]>();
      for (const sample of samples) getOrMake(byEnvironment, String(sample.labels?.environment), () => []).push(sample);
      for (const [environment, environmentSamples] of byEnvironment) {
        getOrMake(metricsByEnvironment, environment, () => []).push({ ...metric, samples: environmentSamples });
      }
    }
    this.#metrics.clear();
    return metricsByEnvironment;
  }
}
