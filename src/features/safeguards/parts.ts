import type { Services } from '../services.ts';
import { prometheusOf } from './prometheus.ts';
import { SafeguardWatch } from './safeguard-watch.ts';

declare module '../services.ts' {
  interface FeatureParts {
    /** Compares safeguards with metrics and with the answers of Prometheus. */
    readonly safeguardWatch: SafeguardWatch;
  }
}

/** Creates what compares safeguards. If the flags come from a source, the source compares them. */
export function safeguardParts(services: Services): Pick<Services, 'safeguardWatch'> {
  const { replica, writer, clock, logger, source, components, impactMetrics, config } = services;
  const prometheus = prometheusOf(config);
  const safeguardWatch = new SafeguardWatch({ replica, writer, impactMetrics, prometheus, clock, logger });
  components.add({
    name: 'safeguards',
    ...(!source && { start: () => safeguardWatch.start() }),
    close: () => safeguardWatch.close(),
  });
  return { safeguardWatch };
}
