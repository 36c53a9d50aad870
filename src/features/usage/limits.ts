import { limit } from '../../model/limits.ts';

export const USAGE_LIMITS = {
  applications: limit('applications for which SDKs report', 1_000, 5_000, 'APPLICATIONS_LIMIT', {
    counts: 'applications',
  }),
};

type Stated = typeof USAGE_LIMITS;

declare module '../../model/limits.ts' {
  interface LimitTable extends Stated {}
}
