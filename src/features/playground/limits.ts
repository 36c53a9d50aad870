import { limit } from '../../model/limits.ts';

export const PLAYGROUND_LIMITS = {
  playgroundContexts: limit(
    'combinations of context values in one request to the advanced playground',
    1_000,
    1_000_000,
    'PLAYGROUND_CONTEXTS_MAX',
  ),
  playgroundResults: limit(
    'results (flags × environments × contexts) of one request to the advanced playground',
    100_000,
    100_000_000,
    'PLAYGROUND_RESULTS_MAX',
  ),
};

type Stated = typeof PLAYGROUND_LIMITS;

declare module '../../model/limits.ts' {
  interface LimitTable extends Stated {}
}
