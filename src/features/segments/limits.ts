import { limit } from '../../model/limits.ts';

export const SEGMENT_LIMITS = {
  segments: limit('segments', 300, 5_000, 'UNLEASH_SEGMENTS_LIMIT', { counts: 'segments' }),
};

type Entries = typeof SEGMENT_LIMITS;

declare module '../../model/limits.ts' {
  interface LimitTable extends Entries {}
}
