import { limit } from '../../model/limits.ts';

export const TOKEN_LIMITS = {
  apiTokens: limit('API tokens', 2_000, 100_000, 'UNLEASH_API_TOKENS_LIMIT', { counts: 'apiTokens' }),
};

type Entries = typeof TOKEN_LIMITS;

declare module '../../model/limits.ts' {
  interface LimitTable extends Entries {}
}
