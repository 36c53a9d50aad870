import { storeClock } from '../../engine/store-clock.ts';
import type { Services } from '../services.ts';
import { ActionRunner } from './actions/runner.ts';

/** Creates the runner, which makes the actions of accepted signals. If the flags come from a source, the source makes them. */
export function signalParts({ replica, writer, store, clock, logger, source, components }: Services): object {
  const runner = new ActionRunner({ replica, writer, clock: storeClock(store, clock), logger });
  // The runner may wait for a command that ends only when the writer is closed. Therefore the writer does not wait for the runner.
  components.add({
    name: 'actions of signals',
    ...(!source && { start: () => runner.start() }),
    close: () => runner.close(),
  });
  return {};
}
