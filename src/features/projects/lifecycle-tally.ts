import { DAY_MS } from '../../base/clock.ts';
import { tenths } from '../../base/tenths.ts';

/** A lifecycle stage that a flag has entered. */
interface EnteredStage {
  readonly stage: string;
  readonly enteredStageAt: string;
}

/** Statistics of one lifecycle stage of a project's flags. */
interface StageSummary {
  /** Average number of days in the stage, to one decimal, of the flags that have left the stage; null if no flag has left it. */
  readonly averageDays: number | null;
  readonly currentFlags: number;
}

/** A project's flags by lifecycle stage. */
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

/** Computes the summary of the lifecycle stages of flags. */
export class LifecycleTally {
  readonly #stays = new Map<string, Stay>();

  /** Adds one flag. `steps` are the stages that the flag has entered, oldest first; the last stage is the current one. */
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
