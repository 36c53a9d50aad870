import { counters } from '../model/counter.ts';
import { mirroredScopes } from '../model/mirrored-scope.ts';
import { surplusMarks } from '../model/reapplied-mark.ts';

/** What is stored for the engine itself. */
export const ENGINE_COLLECTIONS = { counters, surplusMarks, mirroredScopes };
