import type { Services } from '../services.ts';
import { FlagIndex } from './flag-index.ts';
import { IndexAnswers } from './index-answers.ts';

interface FlagIndexParts {
  readonly indexAnswers: IndexAnswers;
}

declare module '../services.ts' {
  interface FeatureParts extends FlagIndexParts {}
}

export function flagIndexParts({ state, replica, components, recentChanges }: Services): FlagIndexParts {
  const index = new FlagIndex(replica, recentChanges);
  components.add({ name: 'flag index', close: () => index.close() });
  return { indexAnswers: new IndexAnswers(index, recentChanges, state) };
}
