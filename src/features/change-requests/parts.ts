import { storeClock } from '../../engine/store-clock.ts';
import type { Services } from '../services.ts';
import { Scheduler } from './scheduler.ts';

/** Creates the scheduler, which applies change requests when they are due. If the flags come from a source, the source applies the requests. */
export function changeRequestParts({ replica, writer, store, clock, logger, source, components }: Services): object {
  const scheduler = new Scheduler({ replica, writer, clock: storeClock(store, clock), logger });
  // The scheduler may wait for a command that ends only when the writer is closed. Therefore the writer does not wait for the scheduler.
  components.add({
    name: 'scheduled change requests',
    ...(!source && { start: () => scheduler.start() }),
    close: () => scheduler.close(),
  });
  return {};
}
