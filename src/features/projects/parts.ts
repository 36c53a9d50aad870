import type { Services } from '../services.ts';
import { ProjectActivity } from './activity.ts';
import { ProjectStatsView } from './stats.ts';

interface ProjectParts {
  /** Finds the times of events in projects. */
  readonly projectActivity: ProjectActivity;
  readonly projectStats: ProjectStatsView;
}

declare module '../services.ts' {
  interface FeatureParts extends ProjectParts {}
}

export function projectParts({ state, replica, clock, eventIndex, flagUse }: Services): ProjectParts {
  const projectStats = new ProjectStatsView(state, clock, flagUse);
  replica.onApplied((applied) => projectStats.apply(applied));
  replica.onReplaced(() => projectStats.forgetAll());
  return { projectActivity: new ProjectActivity(eventIndex), projectStats };
}
