import { counters } from '../model/counter.ts';
import { mirroredScopes } from '../model/mirrored-scope.ts';
import { surplusMarks } from '../model/reapplied-mark.ts';

/** The collections in which the engine stores its own data. */
export const ENGINE_COLLECTIONS = { counters, surplusMarks, mirroredScopes };
