import { type Clock, isoTime } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { DemoRefusal, type Person } from './person.ts';
import type { Sdk } from './sdk.ts';
import { flagPath, rollout } from './seed-flags.ts';
import type { People } from './seed-setup.ts';

/** How often each part of the demo acts. */
export interface Pace {
  readonly pollMs: number;
  readonly reportMs: number;
  readonly rolloutMs: number;
  readonly colleagueMs: number;
}

export const USUAL_PACE: Pace = { pollMs: 2_000, reportMs: 10_000, rolloutMs: 12_000, colleagueMs: 25_000 };

/** The flag whose rollout is under way. */
export const ROLLOUT_FLAG = 'search.semantic-ranking';
const ROLLOUT = `${flagPath('search', ROLLOUT_FLAG)}/environments/production`;
const STEPS = [1, 5, 10, 25, 50, 75, 100] as const;

interface LifeParts {
  readonly people: People;
  readonly sdks: readonly Sdk[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pace: Pace;
}

/** What happens in the demo while it runs: SDKs poll and report, a rollout grows, and a colleague changes flags. */
export class Life {
  readonly #parts: LifeParts;
  readonly #signal: AbortSignal;
  readonly #running: Promise<unknown>;

  /** `signal` ends all of it. */
  constructor(parts: LifeParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
    const { sdks, pace } = parts;
    this.#running = Promise.all([
      ...sdks.map((sdk) => this.#repeat('poll', pace.pollMs, () => sdk.poll())),
      ...sdks.map((sdk) => this.#repeat('report', pace.reportMs, () => sdk.report())),
      this.#repeat('rollout', pace.rolloutMs, this.#rolloutSteps()),
      this.#repeat('colleague', pace.colleagueMs, this.#edits()),
    ]);
  }

  /** Resolves when all parts have ended after the signal. */
  async ended(): Promise<void> {
    await this.#running;
  }

  /** People who use the demo may delete what a part changes, so a refused request does not end the part. */
  async #repeat(name: string, everyMs: number, act: () => Promise<unknown>): Promise<void> {
    const { clock, logger } = this.#parts;
    for (;;) {
      await clock.sleep(everyMs, this.#signal);
      if (this.#signal.aborted) return;
      try {
        await act();
      } catch (error) {
        if (this.#signal.aborted) return;
        const reason = error instanceof DemoRefusal ? error.message : String(error);
        logger.info({ part: name, reason }, 'a part of the demo could not act');
      }
    }
  }

  /** Each call makes the rollout larger. After 100 % it begins again. */
  #rolloutSteps(): () => Promise<void> {
    const { elin } = this.#parts.people;
    let next = 1;
    return async () => {
      const percent = STEPS[next % STEPS.length] as number;
      await setPercentage(elin, percent, reasonFor(percent), this.#signal);
      next++;
    };
  }

  /** Each call makes one of a few changes, which the later calls take back. */
  #edits(): () => Promise<void> {
    const { people, clock } = this.#parts;
    let count = 0;
    const flag = (project: string, name: string) => flagPath(project, name);
    const toggle = (name: string, project: string, isOn: boolean) =>
      people.dmitri.send('POST', `${flag(project, name)}/environments/development/${isOn ? 'on' : 'off'}`);
    const describe = (person: Person, project: string, name: string, value: string) =>
      person.send('PATCH', flag(project, name), [{ op: 'replace', path: '/description', value }], 'Clearer');
    const edits: readonly ((isOdd: boolean) => Promise<unknown>)[] = [
      (isOdd) => toggle('search.synonyms', 'search', isOdd),
      (isOdd) =>
        describe(people.ben, 'mobile', 'mobile.home-widget', isOdd ? 'Home widget.' : 'A widget for the home screen.'),
      (isOdd) => toggle('search.filters-on-top', 'search', !isOdd),
      () =>
        describe(
          people.elin,
          'mobile',
          'mobile.push-offers',
          `Push offers. Checked at ${isoTime(clock.nowMs()).slice(11, 16)} UTC.`,
        ),
    ];
    return async () => {
      const [edit, round] = [edits[count % edits.length], Math.floor(count / edits.length)];
      count++;
      await edit?.(round % 2 === 1);
    };
  }
}

function reasonFor(percent: number): string {
  if (percent === 100) return 'All customers';
  return percent === STEPS[0] ? 'A new ranking model: we begin again' : `No errors with fewer; ${percent} % now`;
}

/** Starts the rollout at its first step. */
export async function beginRollout({ elin }: People): Promise<void> {
  await elin.send(
    'POST',
    `${ROLLOUT}/strategies`,
    rollout(STEPS[0], { title: 'The rollout under way' }),
    'We begin with one customer in a hundred',
  );
  await elin.send('POST', `${ROLLOUT}/on`);
}

async function setPercentage(person: Person, percent: number, reason: string, signal: AbortSignal): Promise<void> {
  const { strategies } = await person.send('GET', ROLLOUT);
  const [strategy] = strategies;
  const { parameters } = rollout(percent);
  const path = `${ROLLOUT}/strategies/${strategy.id}`;
  await person.send(
    'PUT',
    path,
    { ...strategy, parameters: { ...strategy.parameters, ...(parameters as object) } },
    reason,
    signal,
  );
}
