import { DAY_MS } from '../../base/clock.ts';
import { tenths } from '../../base/tenths.ts';

/** A lifecycle stage that a flag has entered. */
interface EnteredStage {
  readonly stage: string;
  readonly enteredStageAt: string;
}

/** Statistics of one lifecycle stage of a project's flags. */
interface StageSummary {
  /** Average number of days in the stage, to one decimal, for the flags that have left the stage; null if no flag has left it. */
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

/** The flags that have been in one stage. */
interface StageTotals {
  /** Sum of the days of the flags that have left the stage. */
  days: number;
  leftFlags: number;
  currentFlags: number;
}

/** Computes the lifecycle summary of a project's flags. */
export class LifecycleTally {
  readonly #totals = new Map<string, StageTotals>();

  /** Adds one flag. `steps` are the stages that the flag has entered, oldest first; the last stage is the current one. */
  add(steps: readonly EnteredStage[]): void {
    for (const [index, { stage, enteredStageAt }] of steps.entries()) {
      const totals = this.#totalsOf(stage);
      const next = steps[index + 1];
      if (next === undefined) totals.currentFlags++;
      else {
        totals.days += Math.max(0, Date.parse(next.enteredStageAt) - Date.parse(enteredStageAt)) / DAY_MS;
        totals.leftFlags++;
      }
    }
  }

  summary(): LifecycleSummary {
    const summaryOf = (stage: string): StageSummary => {
      const { days, leftFlags, currentFlags } = this.#totalsOf(stage);
      return { averageDays: leftFlags === 0 ? null : tenths(days / leftFlags), currentFlags };
    };
    return {
      initial: summaryOf('initial'),
      preLive: summaryOf('pre-live'),
      live: summaryOf('live'),
      completed: summaryOf('completed'),
    };
  }

  #totalsOf(stage: string): StageTotals {
    let totals = this.#totals.get(stage);
    if (!totals) {
      totals = { days: 0, leftFlags: 0, currentFlags: 0 };
      this.#totals.set(stage, totals);
    }
    return totals;
  }
}
