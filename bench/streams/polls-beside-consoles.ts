import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Feature } from '../../src/model/feature.ts';
import { inTurn } from '../support/in-turn.ts';
import { type PollResult, pollDuring } from '../support/poller.ts';
import { aside, atMost, type Figure, median, milliseconds } from '../support/report.ts';
import { type Process, startProcess, startSeededService } from '../support/service.ts';
import { untilStreams } from './opening.ts';
import { putPeople } from './people-looking.ts';
import { Switches } from './switches.ts';

const OPEN_CONSOLES = fileURLToPath(new URL('./open-consoles.js', import.meta.url));
const CONSOLES = 50;
const CONNECTIONS = 64;
const POLLS_PER_S = 500;
/** People change flags in both blocks: without changes, an open console requests nothing. */
const CHANGE_EVERY_MS = 10_000;
const BLOCK_MS = 10_000;

/** The latency of polls at a constant rate while 50 consoles are open and flags change, against the same service without consoles, in alternating blocks. */
export async function measurePollsBesideConsoles(features: readonly Feature[], rounds: number): Promise<Figure[]> {
  const [flag = ''] = features.map(({ name }) => name);
  const service = await startSeededService(features, { more: [putPeople(CONSOLES)] });
  const switches = new Switches(service.url);
  const alone = () => pollBlock(service, switches, flag);
  const beside = async () => {
    return besideConsoles(service, { flag, screens: 'list,home', count: CONSOLES }, () =>
      pollBlock(service, switches, flag),
    );
  };
  try {
    const ways = { beside, alone };
    await inTurn(1, ways);
    const measured = await inTurn(rounds, ways);
    return (['p99Ms', 'p50Ms'] as const).map((share) => figureOf(share, features.length, measured));
  } finally {
    switches.close();
    await service.end();
  }
}

/** What `work` returns while consoles are open. */
export async function besideConsoles<T>(
  service: Process,
  { flag, screens, count }: { readonly flag: string; readonly screens: string; readonly count: number },
  work: () => Promise<T>,
): Promise<T> {
  const consoles = await startProcess(OPEN_CONSOLES, [service.url, flag, screens, String(count)], {}, service.port);
  const ended = once(consoles.child, 'close').then(() => {
    throw new Error('the consoles ended');
  });
  ended.catch(() => {});
  try {
    await Promise.race([once(consoles.child, 'message'), ended]);
    return await Promise.race([work(), ended]);
  } finally {
    await consoles.end();
    await untilStreams(service, 0);
  }
}

/** Polls for the time of a block, while a flag is switched at fixed times. */
function pollBlock(service: Process, switches: Switches, flag: string): Promise<PollResult> {
  const work = async () => {
    const beganMs = performance.now();
    for (let dueMs = CHANGE_EVERY_MS / 2; dueMs < BLOCK_MS; dueMs += CHANGE_EVERY_MS) {
      await sleep(beganMs + dueMs - performance.now());
      await switches.next(flag);
    }
    await sleep(beganMs + BLOCK_MS - performance.now());
  };
  return pollDuring(work, { url: service.url, connections: CONNECTIONS, pollsPerS: POLLS_PER_S, tellEtag: true });
}

type Measured = readonly { readonly beside: PollResult; readonly alone: PollResult }[];

function figureOf(share: 'p50Ms' | 'p99Ms', flagCount: number, measured: Measured): Figure {
  const of = (pick: (round: Measured[number]) => number) => measured.map(pick);
  const spread = (times: readonly number[]) => `${milliseconds(median(times))} (${rangeOf(times)})`;
  const ratios = of(({ beside, alone }) => beside[share] / alone[share]);
  const row = {
    name: `${share === 'p99Ms' ? 'p99' : 'p50'} of ${POLLS_PER_S} polls/s, ${flagCount} flags, a change every ${CHANGE_EVERY_MS / 1000} s: beside ${CONSOLES} open consoles / without them (ratios ${rangeOf(ratios)})`,
    ours: spread(of(({ beside }) => beside[share])),
    floor: spread(of(({ alone }) => alone[share])),
    ratio: median(ratios),
  };
  return share === 'p99Ms' ? atMost(1.5, row) : aside(row);
}

const rangeOf = (values: readonly number[]): string =>
  `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;
