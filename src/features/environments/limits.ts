import { limit } from '../../model/limits.ts';

export const ENVIRONMENT_LIMITS = {
  environments: limit('environments', 50, 200, 'UNLEASH_ENVIRONMENTS_LIMIT', { counts: 'environments' }),
  environmentCloneFlags: limit(
    'flags of the projects that one clone of an environment is made for; name fewer projects',
    50_000,
    1_000_000,
    'ENVIRONMENT_CLONE_FLAGS_LIMIT',
  ),
};

type Stated = typeof ENVIRONMENT_LIMITS;

declare module '../../model/limits.ts' {
  interface LimitTable extends Stated {}
}
