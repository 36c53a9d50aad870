import { storeClock } from '../../engine/store-clock.ts';
import type { Services } from '../services.ts';
import { ProgressRunner } from './plans/progress-runner.ts';
import { SafeguardWatch } from './plans/safeguard-watch.ts';

declare module '../services.ts' {
  interface FeatureParts {
    /** Compares the safeguards of release plans with the metrics that this replica receives. */
    readonly safeguardWatch: SafeguardWatch;
  }
}

/** Creates what continues release plans. If the flags come from a source, the source continues them. */
export function releasePlanParts(services: Services): Pick<Services, 'safeguardWatch'> {
  const { replica, writer, store, clock, logger, source, components, impactMetrics } = services;
  const safeguardWatch = new SafeguardWatch({ replica, writer, impactMetrics, clock, logger });
  components.add({
    name: 'safeguards',
    ...(!source && { start: () => safeguardWatch.start() }),
    close: () => safeguardWatch.close(),
  });
  const runner = new ProgressRunner({ replica, writer, clock: storeClock(store, clock), logger });
  // The runner may wait for a command that ends only when the writer is closed. Therefore the writer does not wait for the runner.
  components.add({
    name: 'release plans',
    ...(!source && { start: () => runner.start() }),
    close: () => runner.close(),
  });
  return { safeguardWatch };
}
