import { describe, expect, it } from 'vitest';
import { type Pause, Rounds } from '../../src/base/rounds.ts';
import { ManualClock } from '../support/manual-clock.ts';

const LONG: Pause = { ms: 60_000, canWake: true };
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Rounds whose end the test decides. */
function heldRounds() {
  const clock = new ManualClock();
  const ends: ((pause: Pause) => void)[] = [];
  const signals: AbortSignal[] = [];
  const rounds = new Rounds(clock, (closing) => {
    signals.push(closing);
    return new Promise((resolve) => ends.push(resolve));
  });
  const end = async (pause: Pause) => {
    ends.at(-1)?.(pause);
    await turn();
  };
  return { clock, rounds, signals, end, begun: () => ends.length };
}

describe('rounds of work', () => {
  it('follow a call during a round, and a call during the pause, without a lost one', async () => {
    const { rounds, end, begun } = heldRounds();
    rounds.wake();
    rounds.start();
    rounds.start();
    expect(begun()).toBe(1);
    rounds.wake();
    rounds.wake();
    await end(LONG);
    expect(begun()).toBe(2);
    await end(LONG);
    expect(begun()).toBe(2);
    rounds.wake();
    await turn();
    expect(begun()).toBe(3);
    const closed = rounds.close();
    await end(LONG);
    await closed;
    rounds.wake();
    await turn();
    expect(begun()).toBe(3);
  });

  it('wait after a failure, whatever calls meanwhile, and are closed in that pause', async () => {
    const { clock, rounds, end, begun } = heldRounds();
    rounds.start();
    rounds.wake();
    await end({ ms: 1_000, canWake: false });
    rounds.wake();
    await turn();
    expect(begun()).toBe(1);
    clock.advance(1_000);
    await turn();
    expect(begun()).toBe(2);
    await end({ ms: 1_000, canWake: false });
    await rounds.close();
    expect(begun()).toBe(2);
  });

  it('end when the round that is running has ended, and do not begin after that', async () => {
    const { rounds, signals, end, begun } = heldRounds();
    rounds.start();
    let isClosed = false;
    const closed = rounds.close().then(() => {
      isClosed = true;
    });
    await turn();
    expect([signals[0]?.aborted, isClosed]).toEqual([true, false]);
    await end({ ms: 0, canWake: true });
    await closed;
    const unused = heldRounds();
    await unused.rounds.close();
    unused.rounds.start();
    await turn();
    expect([begun(), unused.begun()]).toEqual([1, 0]);
  });
});
