import { limit } from '../../model/limits.ts';

export const PLAYGROUND_LIMITS = {
  playgroundContexts: limit(
    'combinations of context values that one request to the advanced playground asks for',
    1_000,
    1_000_000,
    'PLAYGROUND_CONTEXTS_MAX',
  ),
  playgroundResults: limit(
    'results (flags × environments × contexts) that one request to the advanced playground asks for',
    100_000,
    100_000_000,
    'PLAYGROUND_RESULTS_MAX',
  ),
};

type Stated = typeof PLAYGROUND_LIMITS;

declare module '../../model/limits.ts' {
  interface LimitTable extends Stated {}
}
