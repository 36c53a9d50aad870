import { fixed, limit } from '../../model/limits.ts';

export const PREVIEW_LIMITS = {
  previewContexts: limit('contexts of one preview of changes', 10_000, 100_000, 'PREVIEW_CONTEXTS_MAX'),
  previewFlags: fixed('flags that one preview of changes compares', 1_000),
  previewFields: fixed('context fields whose legal values one preview combines', 5),
  previewContextSets: fixed('saved context sets that one preview uses', 10),
  previewExamples: fixed('examples of each kind for each flag in a preview', 20),
  previewWork: fixed('ms of time to evaluate all contexts of a preview, for the slowest possible contexts', 5_000),
};
