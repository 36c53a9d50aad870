import { type Asker, SERVICE } from '../../base/asking/asker.ts';
import { DAY_MS, isoTime } from '../../base/clock.ts';
import type { EventIndex } from '../events/event-index.ts';

/** Maximum number of projects whose newest event is cached, deleted projects included. */
const PROJECTS_MAX = 20_000;

/** Maximum number of unindexed events that an answer waits for. If there are more, the answer contains no event times at all. */
const WAITED_EVENTS_MAX = 20_000;

/** Finds the times of events in projects with the event index. It caches the newest time of each project, and scans only events that are newer. */
export class ProjectActivity {
  readonly #index: EventIndex;
  #generation = -1;
  #nextId = 1;
  /** Project id → time of its newest event. */
  readonly #newestMs = new Map<string, number>();
  #refresh: Promise<void> | undefined;

  constructor(index: EventIndex) {
    this.#index = index;
  }

  /** Returns a function that returns the time of a project's newest event, or null if no event is known. @throws StoreError */
  async lastEvents(): Promise<(project: string) => string | null> {
    if (this.#index.behind > WAITED_EVENTS_MAX) return () => null;
    this.#refresh ??= this.#readNewEvents().finally(() => {
      this.#refresh = undefined;
    });
    await this.#refresh;
    return (project) => {
      const timeMs = this.#newestMs.get(project);
      return timeMs === undefined ? null : isoTime(timeMs);
    };
  }

  /** Counts the project's events since `fromMs`: day (UTC) → number, oldest day first, without days that have no events. @throws StoreError */
  async byDay(project: string, fromMs: number, asker: Asker): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<number, number>();
    await this.#index.catchUp();
    const countDay = (_project: string | null, timeMs: number) => {
      const day = timeMs - (timeMs % DAY_MS);
      counts.set(day, (counts.get(day) ?? 0) + 1);
    };
    await this.#index.scan({ project, fromMs, readable: null }, 1, countDay, asker);
    const days = [...counts].sort(([left], [right]) => left - right);
    return new Map(days.map(([day, count]) => [isoTime(day).slice(0, 10), count]));
  }

  async #readNewEvents(): Promise<void> {
    await this.#index.catchUp();
    const { generation } = this.#index;
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#nextId = 1;
      this.#newestMs.clear();
    }
    const keepNewest = (project: string | null, timeMs: number) => {
      if (project === null) return;
      const newestMs = this.#newestMs.get(project);
      if (newestMs === undefined ? this.#newestMs.size < PROJECTS_MAX : newestMs < timeMs)
        this.#newestMs.set(project, timeMs);
    };
    // Work of the service: the times are kept for later requests.
    this.#nextId = await this.#index.scan({ readable: null }, this.#nextId, keepNewest, SERVICE);
  }
}
