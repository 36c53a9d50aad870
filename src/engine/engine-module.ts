import { counters } from '../model/counter.ts';
import { mirroredScopes } from '../model/mirrored-scope.ts';
import { surplusMarks } from '../model/reapplied-mark.ts';

/** The collections in which the engine stores its own data, and the events that it records, with their texts. */
export const ENGINE = {
  collections: { counters, surplusMarks, mirroredScopes },
  events: {
    'history-surplus': ['History lost', 'found that changes are not part of the history any more'],
    'history-reapplied': ['History repaired', 'made a lost change again'],
  },
} as const;
