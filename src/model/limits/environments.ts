import { limit } from '../limits.ts';

export const ENVIRONMENT_LIMITS = {
  environments: limit('environments', 50, 200, 'UNLEASH_ENVIRONMENTS_LIMIT', { counts: 'environments' }),
  environmentCloneFlags: limit(
    'flags in the projects of one request to clone an environment (to clone more, name fewer projects in each request)',
    50_000,
    1_000_000,
    'ENVIRONMENT_CLONE_FLAGS_LIMIT',
  ),
};
