import { DAY_MS, isoTime } from '../../base/clock.ts';
import type { EventIndex } from '../events/event-index.ts';

/** Maximum number of projects whose newest event is remembered. It includes deleted projects. */
const PROJECTS_MAX = 20_000;

/** Maximum number of unindexed events that an answer waits for. If more events are not indexed yet, the answer has no time for any project. */
const WAITED_EVENTS_MAX = 20_000;

/** Finds the times of events in projects with the event index. It remembers the newest time of each project and scans only events that are newer. */
export class ProjectActivity {
  readonly #index: EventIndex;
  #generation = -1;
  #nextId = 1;
  /** Project id → time of its newest event. */
  readonly #newestMs = new Map<string, number>();
  #looking: Promise<void> | undefined;

  constructor(index: EventIndex) {
    this.#index = index;
  }

  /** Returns a function from a project's id to the time of its newest event; the time is null if no event is known. @throws StoreError */
  async lastEvents(): Promise<(project: string) => string | null> {
    if (this.#index.behind > WAITED_EVENTS_MAX) return () => null;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
    return (project) => {
      const timeMs = this.#newestMs.get(project);
      return timeMs === undefined ? null : isoTime(timeMs);
    };
  }

  /** Day (UTC) → number of the project's events on that day, since `fromMs`, oldest first, without days that have no events. @throws StoreError */
  async byDay(project: string, fromMs: number): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<number, number>();
    await this.#index.catchUp();
    await this.#index.scan({ project, fromMs }, 1, (_project, timeMs) => {
      const day = timeMs - (timeMs % DAY_MS);
      counts.set(day, (counts.get(day) ?? 0) + 1);
    });
    const days = [...counts].sort(([left], [right]) => left - right);
    return new Map(days.map(([day, count]) => [isoTime(day).slice(0, 10), count]));
  }

  async #look(): Promise<void> {
    await this.#index.catchUp();
    const { generation } = this.#index;
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#nextId = 1;
      this.#newestMs.clear();
    }
    this.#nextId = await this.#index.scan({}, this.#nextId, (project, timeMs) => {
      if (project === null) return;
      const known = this.#newestMs.get(project);
      if (known === undefined ? this.#newestMs.size < PROJECTS_MAX : known < timeMs)
        this.#newestMs.set(project, timeMs);
    });
  }
}
