import type { Services } from '../services.ts';
import { StaleMarker } from './stale/marker.ts';

/** Marks flags that have outlived their type's lifetime. If this service gets its flags from a source, the source marks them instead. */
export function flagParts({ state, writer, clock, logger, config, source, components }: Services): object {
  const marker = new StaleMarker({ state, writer, clock, logger, everyMs: config.staleCheckEveryMs });
  components.add({
    name: 'stale flags',
    dependsOn: ['writer'],
    ...(!source && { start: () => marker.start() }),
    close: () => marker.close(),
  });
  return {};
}
