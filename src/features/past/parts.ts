import { PerKeyQuota } from '../../base/queues/per-key-quota.ts';
import { Semaphore } from '../../base/queues/semaphore.ts';
import { KeptReads } from './read-parts.ts';

/** Maximum number of requests that read the past at the same time. Each reads at most two states, which may need some tens of megabytes each. */
const READING_MAX = 8;
/** Maximum number of requests that read the past or wait for that, in total and of one caller. After a commit, many open consoles read a history. */
const REQUESTS_MAX = 500;
const REQUESTS_OF_CALLER_MAX = 4;

interface PastParts {
  /** Counts the requests that read the past or wait for that, by caller. */
  readonly pastQuota: PerKeyQuota<string>;
  readonly pastReads: Semaphore;
  readonly keptPast: KeptReads;
}

declare module '../services.ts' {
  interface FeatureParts extends PastParts {}
}

export function pastParts(): PastParts {
  return {
    pastQuota: new PerKeyQuota(REQUESTS_MAX, REQUESTS_OF_CALLER_MAX),
    pastReads: new Semaphore(READING_MAX),
    keptPast: new KeptReads(),
  };
}
