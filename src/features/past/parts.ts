import { HolderSemaphore } from '../../base/queues/holder-semaphore.ts';
import { PerKeyQuota } from '../../base/queues/per-key-quota.ts';
import type { Services } from '../services.ts';
import { FixedStates } from './fixed-states.ts';
import { KeptReads } from './read-parts.ts';

/**
 * Maximum number of requests that read the past at the same time, in total and of one caller: so two callers cannot keep all others waiting. Each reads
 * at most two states, which may need some tens of megabytes each.
 */
const READING_MAX = 8;
const READING_OF_CALLER_MAX = 2;
/** Maximum number of requests that read the past or wait for that, in total and of one caller. After a commit, many open consoles read a history. */
const REQUESTS_MAX = 500;
const REQUESTS_OF_CALLER_MAX = 4;

interface PastParts {
  /** Counts the requests that read the past or wait for that, by caller. */
  readonly pastQuota: PerKeyQuota<string>;
  readonly pastReads: HolderSemaphore;
  readonly keptPast: KeptReads;
  readonly fixedStates: FixedStates;
}

declare module '../services.ts' {
  interface FeatureParts extends PastParts {}
}

export function pastParts({ replica }: Services): PastParts {
  return {
    pastQuota: new PerKeyQuota(REQUESTS_MAX, REQUESTS_OF_CALLER_MAX),
    pastReads: new HolderSemaphore(READING_MAX, READING_OF_CALLER_MAX),
    keptPast: new KeptReads(),
    fixedStates: new FixedStates(replica),
  };
}
