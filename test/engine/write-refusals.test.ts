import { expect, it } from 'vitest';
import { loggerTo } from '../../src/base/logger.ts';
import { type Obstacle, WriteRefusals } from '../../src/engine/write-refusals.ts';
import { StoreError, type StoreStatus } from '../../src/stores/store.ts';
import { ManualClock } from '../support/manual-clock.ts';

const REACHABLE = { reachable: true } as StoreStatus;

/** The refusals of a process whose store and obstacles the test decides, and the lines that they logged. */
function refusalsOf() {
  const logged: string[] = [];
  const fake = { status: REACHABLE, obstacle: null as Obstacle | null };
  const clock = new ManualClock();
  const refusals = new WriteRefusals({
    store: { status: () => fake.status, probe: async () => {} },
    clock,
    logger: loggerTo('info', (line) => void logged.push(JSON.parse(line).msg), Date.now),
    obstacle: () => fake.obstacle,
  });
  return { refusals, logged, fake, clock };
}

const full = new StoreError('no space', 'not-appended', { refusal: 'disk-full' });

it('logs a reason for which writes are refused once, until it changes or ends', () => {
  const { refusals, logged, fake } = refusalsOf();
  for (let count = 0; count < 3; count++) refusals.failed(full);
  expect(logged).toEqual([expect.stringMatching(/^writes are refused: /)]);
  fake.obstacle = { reason: 'behind', message: 'another history' };
  for (let count = 0; count < 3; count++) refusals.failed(full);
  expect(logged).toHaveLength(2);
  expect(logged[1]).not.toBe(logged[0]);
  fake.obstacle = null;
  for (let count = 0; count < 3; count++) refusals.appended();
  expect(logged.slice(2)).toEqual(['writes are accepted again']);
});

it('has the time since which writes are refused, whatever the reasons were since then', () => {
  const { refusals, fake, clock } = refusalsOf();
  expect(refusals.current).toBe(null);
  refusals.failed(full);
  const { since } = refusals.current ?? {};
  clock.advance(5_000);
  fake.obstacle = { reason: 'behind', message: 'another history' };
  expect(refusals.current).toMatchObject({ reason: 'behind', since });
  fake.obstacle = null;
  refusals.appended();
  expect(refusals.current).toBe(null);
  clock.advance(5_000);
  refusals.failed(full);
  expect(refusals.current?.since).not.toBe(since);
});

it('logs nothing after it is closed: the store is closed, too', async () => {
  const { refusals, logged } = refusalsOf();
  await refusals.close();
  refusals.failed(full);
  expect(logged).toEqual([]);
});
