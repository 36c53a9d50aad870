import type { Services } from '../services.ts';
import { StaleMarker } from './stale/marker.ts';

/**
 * Creates the part that marks flags which have outlived the lifetime of their type. If this service gets its flags from a source, the part does not
 * start, because the source marks the flags.
 */
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
