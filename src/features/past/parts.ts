import { PerKeyQuota } from '../../base/queues/per-key-quota.ts';

/** Maximum number of past states that are read at the same time, in total and for one caller. Each may need some tens of megabytes. */
const READS_MAX = 16;
const READS_OF_CALLER_MAX = 4;

interface PastParts {
  /** Counts the past states that are being read, by caller. */
  readonly pastQuota: PerKeyQuota<string>;
}

declare module '../services.ts' {
  interface FeatureParts extends PastParts {}
}

export function pastParts(): PastParts {
  return { pastQuota: new PerKeyQuota(READS_MAX, READS_OF_CALLER_MAX) };
}
