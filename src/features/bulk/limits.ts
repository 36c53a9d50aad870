import { fixed } from '../../model/limits.ts';

export const BULK_LIMITS = {
  namesInRequest: fixed('names of flags in one request for an evaluation', 1_000),
};
