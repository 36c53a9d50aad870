import { DAY_MS } from '../../base/clock.ts';
import { tenths } from '../../base/tenths.ts';

/** A stage of its life that a flag has entered. */
interface EnteredStage {
  readonly stage: string;
  readonly enteredStageAt: string;
}

/** Of one stage. */
interface StageSummary {
  /** How many days flags stayed in it that have left it, on average to one decimal; null when none has. */
  readonly averageDays: number | null;
  readonly currentFlags: number;
}

/** Where a project's flags are between creation and archive. */
export interface LifecycleSummary {
  readonly initial: StageSummary;
  readonly preLive: StageSummary;
  readonly live: StageSummary;
  readonly completed: StageSummary;
}

interface Stay {
  days: number;
  left: number;
  current: number;
}

/** Adds up the stages of flags. */
export class LifecycleTally {
  readonly #stays = new Map<string, Stay>();

  /** The stages that one flag has entered, oldest first; the last one is where it is. */
  add(steps: readonly EnteredStage[]): void {
    for (const [index, { stage, enteredStageAt }] of steps.entries()) {
      const stay = this.#stayOf(stage);
      const next = steps[index + 1];
      if (next === undefined) stay.current++;
      else {
        stay.days += Math.max(0, Date.parse(next.enteredStageAt) - Date.parse(enteredStageAt)) / DAY_MS;
        stay.left++;
      }
    }
  }

  summary(): LifecycleSummary {
    const of = (stage: string): StageSummary => {
      const { days, left, current } = this.#stayOf(stage);
      return { averageDays: left === 0 ? null : tenths(days / left), currentFlags: current };
    };
    return { initial: of('initial'), preLive: of('pre-live'), live: of('live'), completed: of('completed') };
  }

  #stayOf(stage: string): Stay {
    let stay = this.#stays.get(stage);
    if (!stay) {
      stay = { days: 0, left: 0, current: 0 };
      this.#stays.set(stage, stay);
    }
    return stay;
  }
}
