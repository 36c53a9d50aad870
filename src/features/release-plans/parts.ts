import { storeClock } from '../../engine/store-clock.ts';
import type { Services } from '../services.ts';
import { ProgressRunner } from './plans/progress-runner.ts';

/** Creates what continues release plans. If the flags come from a source, the source continues them. */
export function releasePlanParts(services: Services): object {
  const { replica, writer, store, clock, logger, source, components } = services;
  const runner = new ProgressRunner({ replica, writer, clock: storeClock(store, clock), logger });
  // The runner may wait for a command that ends only when the writer is closed. Therefore the writer does not wait for the runner.
  components.add({
    name: 'release plans',
    ...(!source && { start: () => runner.start() }),
    close: () => runner.close(),
  });
  return {};
}
