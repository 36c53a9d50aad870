import { fixed } from '../../model/limits.ts';

export const BULK_LIMITS = {
  namesInRequest: fixed('names of flags in one request for an evaluation', 1_000),
};

type Stated = typeof BULK_LIMITS;

declare module '../../model/limits.ts' {
  interface LimitTable extends Stated {}
}
