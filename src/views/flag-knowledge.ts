import type { FlagUse } from '../actors/flag-use.ts';
import { lifetimeDaysOf } from '../commands/feature-type.ts';
import { lifecycleSteps } from '../commands/lifecycle.ts';
import type { FlagKnowledge } from './project-figures.ts';

/** What figures of projects know of flags beside the flags themselves. */
export function flagKnowledge(flagUse: () => Pick<FlagUse, 'lastSeenAt'>): FlagKnowledge {
  return {
    lifetimeDays: lifetimeDaysOf,
    lastSeenAt(state, feature) {
      const { environments = [] } = state.get('projects', feature.project) ?? {};
      let newest: string | null = null;
      for (const environment of environments) {
        const seenAt = flagUse().lastSeenAt(feature, environment);
        if (seenAt !== null && (newest === null || seenAt > newest)) newest = seenAt;
      }
      return newest;
    },
    stages: lifecycleSteps,
  };
}
