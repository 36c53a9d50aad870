import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../support/until.ts';
import { Fleet } from './fleet.ts';
import { expectKept, Poller, Writers } from './load.ts';

describe('a replica that comes back with a revision from before the trimmed log', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await Fleet.start(2, { SNAPSHOT_EVERY_COMMITS: '40' });
  });
  afterAll(() => fleet.dispose());

  const firstSeq = async () => Number((await fleet.redis.command('HGET', '{burgee}:meta', 'firstSeq')).trim());

  it('serves its old state until it serves the whole new state, and nothing in between', async () => {
    const [writing, away] = [fleet.at(0), fleet.at(1)];
    await writing.create('seen-by-both');
    await fleet.expectAgreement();
    for (let round = 0; round < 3; round++) {
      const revision = (await away.ready()).json.revision;
      away.signal('SIGSTOP');
      // Otherwise hints would wait for it in the buffer of its socket.
      for (const type of ['pubsub', 'normal']) await fleet.redis.command('CLIENT', 'KILL', 'TYPE', type);
      const writers = new Writers(4, [writing], `round-${round}`);
      await untilTrue(async () => (await firstSeq()) > revision + 1, 'the log is trimmed beyond its revision');
      await writers.stop();
      const whole = (await writing.poll()).json.features.length;
      const counts = new Set<number>();
      away.signal('SIGCONT');
      const poller = new Poller(away, { onCount: (count) => counts.add(count) });
      const { names } = await fleet.expectAgreement();
      await poller.stop();
      expectKept(names, writers);
      // The state is replaced in one turn of the event loop: a poll sees either the old or the new state.
      expect(counts.size).toBeLessThanOrEqual(2);
      expect(Math.max(...counts)).toBe(whole);
    }
    expect(away.log.match(/the state was loaded anew from the store/g)).toHaveLength(3);
  });
});
