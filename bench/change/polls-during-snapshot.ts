import { setTimeout as sleep } from 'node:timers/promises';
import { makeFlags } from '../support/flags.ts';
import type { LoopHolds } from '../support/loop-probe.ts';
import { type PollResult, pollDuring } from '../support/poller.ts';
import { startProbedService } from '../support/probed.ts';
import { atMost, type Figure, median, medians, milliseconds } from '../support/report.ts';
import { holdFigure } from './hold-figure.ts';

const CONNECTIONS = 64;
const LOOP_BLOCKED_MAX_MS = 10;

interface Round {
  readonly rest: PollResult;
  readonly during: PollResult;
  readonly restLoopHolds: LoopHolds;
  readonly loopHolds: LoopHolds;
  readonly tookMs: number;
}

interface SnapshotOptions {
  readonly flagCount: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly pollsPerS: number;
}

/** Polls that are answered 304: at rest, and while a snapshot is taken and verified and the log is trimmed. */
export async function pollsDuringSnapshot(options: SnapshotOptions): Promise<Figure[]> {
  const { flagCount, rounds, seconds, pollsPerS } = options;
  const features = makeFlags(flagCount, { seed: 51, strategies: 2, environments: ['development'] });
  const service = await startProbedService(features, { snapshot: true });
  const polls = { url: service.url, connections: CONNECTIONS, pollsPerS, tellEtag: true };
  /** The time before every client has the list does not count: at this size, sending the lists blocks the loop. */
  const watched = async (work: () => Promise<void>) => {
    let loopHolds: LoopHolds | undefined;
    const polled = await pollDuring(async () => {
      await service.takeHolds();
      await work();
      loopHolds = await service.takeHolds();
    }, polls);
    return { polled, loopHolds: loopHolds as LoopHolds };
  };
  const round = async (): Promise<Round> => {
    const rest = await watched(() => sleep(seconds * 1000));
    let tookMs = 0;
    const during = await watched(async () => {
      ({ tookMs } = await service.snapshot());
    });
    return {
      rest: rest.polled,
      restLoopHolds: rest.loopHolds,
      during: during.polled,
      loopHolds: during.loopHolds,
      tookMs,
    };
  };
  try {
    await round();
    const measured: Round[] = [];
    for (let index = 0; index < rounds; index++) measured.push(await round());
    const of = (pick: (one: Round) => number) => median(measured.map(pick));
    const count = flagCount.toLocaleString('en');
    const restMs = Math.max(...measured.map(({ restLoopHolds }) => restLoopHolds.longestMs));
    return [
      atMost(
        2,
        medians(
          measured,
          `snapshot of ${count} flags (${milliseconds(of(({ tookMs }) => tookMs))}): p99 of ${pollsPerS} polls/s`,
          ['ms', 'at rest'],
          ({ during, rest }) => [during.p99Ms, rest.p99Ms],
        ),
      ),
      holdFigure(
        `snapshot of ${count} flags: loop held at most (at rest ${milliseconds(restMs)})`,
        measured.map(({ loopHolds }) => loopHolds),
        LOOP_BLOCKED_MAX_MS,
      ),
    ];
  } finally {
    await service.end();
  }
}
