import { storeClock } from '../../engine/store-clock.ts';
import type { Services } from '../services.ts';
import { Scheduler } from './scheduler.ts';

/** Applies change requests when their time has come. Where the flags come from a source, it decides. */
export function changeRequestParts({ replica, writer, store, clock, logger, source, components }: Services): object {
  const scheduler = new Scheduler({ replica, writer, clock: storeClock(store, clock), logger });
  // It may wait for a command that only the closing of the writer ends: the writer does not wait for it.
  components.add({
    name: 'scheduled change requests',
    ...(!source && { start: () => scheduler.start() }),
    close: () => scheduler.close(),
  });
  return {};
}
