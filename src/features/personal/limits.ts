import { fixed, limit } from '../../model/limits.ts';

export const PERSONAL_LIMITS = {
  preferencesOfUser: fixed('preferences of a user', 100, { counts: 'preferences', ofUser: 'preferencesByUser' }),
  preferenceBytes: fixed('bytes of the value of a preference, as JSON', 4_096),
  viewsOfUser: fixed('saved views of a user', 200, { counts: 'savedViews', ofUser: 'savedViewsByUser' }),
  viewQueryLength: fixed('characters of the query of a saved view', 4_000),
  contextSetsOfUser: fixed('saved context sets of a user', 50, { counts: 'contextSets', ofUser: 'contextSetsByUser' }),
  contextsInSet: fixed('contexts of a saved context set', 1_000),
  contextSetBytes: fixed('bytes of a saved context set, as JSON', 500_000),
  contextSetBytesOfUser: fixed('bytes of all saved context sets of a user, as JSON', 2_000_000),
  contextSetsOfProject: fixed('saved context sets that are shared with a project', 100),
  personalBytes: limit(
    'bytes of the preferences, saved views and saved context sets of all users, as JSON',
    100_000_000,
    1_000_000_000,
    'PERSONAL_BYTES_LIMIT',
  ),
};
