import { assert } from '../../base/assert.ts';
import { collection } from '../../model/collection.ts';

/** The stages of a flag, in order. */
export const LIFECYCLE_STAGES = ['initial', 'pre-live', 'live', 'completed', 'archived'] as const;
export type LifecycleStage = (typeof LIFECYCLE_STAGES)[number];

/** How a flag was completed: the code behind the flag was kept or discarded. */
export const COMPLETION_STATUSES = ['kept', 'discarded'] as const;
type CompletionStatus = (typeof COMPLETION_STATUSES)[number];

/** A stage that a flag has entered. */
export interface LifecycleStep {
  readonly stage: LifecycleStage;
  readonly enteredStageAt: string;
  /** Only for `completed`. */
  readonly status?: CompletionStatus;
  /** Only for `completed`: the variant that was kept. */
  readonly statusValue?: string;
}

/**
 * The stages that a flag has entered, in order. The stage `archived` is not included, because the flag itself stores when it was archived. Collection
 * `lifecycles`, key: the flag's name. A flag without an entry has been in `initial` since it was created.
 */
interface Lifecycle {
  readonly feature: string;
  /** Contains at least one step. */
  readonly steps: readonly LifecycleStep[];
}

/** Whether `stage` comes after `other`. */
export function isLaterStage(stage: LifecycleStage, other: LifecycleStage): boolean {
  return LIFECYCLE_STAGES.indexOf(stage) > LIFECYCLE_STAGES.indexOf(other);
}

export function lastStep(steps: readonly LifecycleStep[]): LifecycleStep {
  const last = steps.at(-1);
  assert(last, 'a flag has entered at least one stage');
  return last;
}

export const lifecycles = collection({ schema: 1, key: (lifecycle: Lifecycle) => lifecycle.feature });

declare module '../../model/collection.ts' {
  interface CollectionTable {
    readonly lifecycles: typeof lifecycles;
  }
}
