import type { Services } from '../services.ts';
import { RecentChanges } from './recent-changes.ts';
import { FlagSearch } from './search/flag-search.ts';
import { staleMarker } from './stale/marker.ts';
import { warnOfIncompleteStrategies } from './strategies/incomplete-strategies.ts';

interface FlagParts {
  readonly recentChanges: RecentChanges;
  /** Searches flags for lists. */
  readonly flagSearch: FlagSearch;
}

declare module '../services.ts' {
  interface FeatureParts extends FlagParts {}
}

/**
 * Creates the part that marks flags which have outlived the lifetime of their type. If this service gets its flags from a source, the part does not
 * start, because the source marks the flags.
 */
export function flagParts(services: Services): FlagParts {
  const { state, replica, logger, source, components } = services;
  const marker = staleMarker(services);
  components.add({
    name: 'stale flags',
    dependsOn: ['writer'],
    ...(!source && { start: () => marker.start() }),
    close: () => marker.close(),
  });
  const stopWarning = new AbortController();
  let warning: Promise<void> | undefined;
  components.add({
    name: 'incomplete strategies',
    dependsOn: ['stale flags'],
    ...(!source && {
      start: () => {
        warning = warnOfIncompleteStrategies(state, logger, stopWarning.signal);
      },
    }),
    async close() {
      stopWarning.abort();
      await warning;
    },
  });
  // The use of flags is a part of a feature that comes later.
  const recentChanges = new RecentChanges(replica);
  return { recentChanges, flagSearch: new FlagSearch(state, recentChanges, () => services.flagUse) };
}
