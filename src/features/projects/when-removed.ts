import type { WhenRemoved } from '../../engine/command.ts';
import { detachEnvironment } from './environments.ts';

export const whenRemoved: WhenRemoved = {
  *environment(context, environment) {
    for (const project of [...context.draft.lookup('projectsByEnvironment', environment)])
      yield* detachEnvironment(context, project, environment);
  },
};
