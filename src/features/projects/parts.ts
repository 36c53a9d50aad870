import type { Services } from '../services.ts';
import { ProjectActivity } from './activity.ts';
import { ProjectFigureView } from './figures.ts';

interface ProjectParts {
  /** Finds the times of events in projects. */
  readonly projectActivity: ProjectActivity;
  readonly projectFigures: ProjectFigureView;
}

declare module '../services.ts' {
  interface FeatureParts extends ProjectParts {}
}

export function projectParts({ state, replica, clock, eventIndex, flagUse }: Services): ProjectParts {
  const projectFigures = new ProjectFigureView(state, clock, flagUse);
  replica.onApplied((applied) => projectFigures.apply(applied));
  replica.onReplaced(() => projectFigures.forgetAll());
  return { projectActivity: new ProjectActivity(eventIndex), projectFigures };
}
