import { freshListInside, freshListOverHttp } from './change/fresh-list.ts';
import { pollsDuringSnapshot } from './change/polls-during-snapshot.ts';
import { pollsUnderChanges } from './change/polls-under-changes.ts';
import { type Figure, finish, numbers, parts, settings } from './support/report.ts';

/**
 * What changes cost: the first fresh list after one flag changed, polls while flags change all the time, polls while a snapshot is taken.
 * BENCH_ROUNDS (5), BENCH_SECONDS a round (2), BENCH_CHANGES a second (5), BENCH_POLLS a second (500), BENCH_SIZES of lists to poll (500,10000), BENCH_FLAGS
 * of the list that changes (10,000), BENCH_SNAPSHOT_FLAGS (100,000), BENCH_PARTS (fresh,polls,snapshot).
 */
const {
  ROUNDS,
  SECONDS,
  CHANGES: CHANGES_PER_S,
  POLLS: POLLS_PER_S,
} = settings({ ROUNDS: 5, SECONDS: 2, CHANGES: 5, POLLS: 500 });
const SIZES = numbers('BENCH_SIZES', '500,10000');
const { FLAGS, SNAPSHOT_FLAGS } = settings({ FLAGS: 10_000, SNAPSHOT_FLAGS: 100_000 });
const PARTS = parts('fresh,polls,snapshot');

const figures: Figure[] = [];
if (PARTS.has('fresh')) {
  const { figure, wholeMs } = await freshListInside(FLAGS, ROUNDS);
  figures.push(figure, ...(await freshListOverHttp(FLAGS, ROUNDS, wholeMs)));
}
if (PARTS.has('polls')) {
  const options = { rounds: ROUNDS, seconds: SECONDS, pollsPerS: POLLS_PER_S, changesPerS: CHANGES_PER_S };
  for (const flagCount of SIZES) figures.push(...(await pollsUnderChanges({ ...options, flagCount })));
}
if (PARTS.has('snapshot')) {
  const options = { flagCount: SNAPSHOT_FLAGS, rounds: ROUNDS, seconds: SECONDS, pollsPerS: 2 * POLLS_PER_S };
  figures.push(...(await pollsDuringSnapshot(options)));
}
finish('The cost of change', figures, [
  'The times for which the event loop is held are those of the service’s process. They include the time for which it waited for a processor.',
]);
