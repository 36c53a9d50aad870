import { setTimeout as sleep } from 'node:timers/promises';
import { record, startBare } from '../support/against-bare.ts';
import { positionsOf, startChanges } from '../support/changes.ts';
import { makeFlags } from '../support/flags.ts';
import { type Rate, rateOf } from '../support/load.ts';
import type { LoopHolds } from '../support/loop-probe.ts';
import { LIST_PATH } from '../support/paths.ts';
import { type PollResult, pollDuring } from '../support/poller.ts';
import { type ProbedService, startProbedService } from '../support/probed.ts';
import { atMost, costs, type Figure, median, medians, milliseconds } from '../support/report.ts';
import { CLIENT_TOKEN } from '../support/service.ts';
import { holdFigure } from './hold-figure.ts';

const CONNECTIONS = 64;
const LOOP_BLOCKED_MAX_MS = 10;
/** Code that runs a few hundred times a second is fully optimised after about ten seconds: until then a change costs the service twice as much. */
const WARM_MS = 15_000;
const WARM_CHANGES_PER_S = 200;
const WARM_POLLS_PER_S = 500;
const GZIP_HEADERS = { authorization: CLIENT_TOKEN, 'unleash-client-spec': '5.2.0', 'accept-encoding': 'gzip' };

interface PollsOptions {
  readonly flagCount: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly pollsPerS: number;
  readonly changesPerS: number;
}

interface WatchedPolls extends PollResult {
  readonly loopHolds: LoopHolds;
}

interface Pair<T> {
  readonly rest: T;
  readonly changing: T;
  readonly changesPerS: number;
}

/** Measures at rest, then while flags change. */
async function pair<T>(
  service: ProbedService,
  flags: Map<string, boolean>,
  changesPerS: number,
  measure: () => Promise<T>,
): Promise<Pair<T>> {
  const rest = await measure();
  const changes = startChanges(service.url, flags, changesPerS);
  let changing: T;
  try {
    changing = await measure();
  } catch (error) {
    await changes.stop().catch(() => undefined);
    throw error;
  }
  return { rest, changing, changesPerS: await changes.stop() };
}

/**
 * Makes many changes, then returns the list. The changes warm up the code that runs only for changes, so that V8 has optimised it, as in a service
 * that has run for an hour.
 */
async function changedList(service: ProbedService, flags: Map<string, boolean>) {
  const changes = startChanges(service.url, flags, WARM_CHANGES_PER_S);
  const client = { url: service.url, connections: CONNECTIONS, pollsPerS: WARM_POLLS_PER_S, tellEtag: false };
  await pollDuring(() => sleep(WARM_MS), client);
  const list = await record(service.url + LIST_PATH, GZIP_HEADERS);
  await changes.stop();
  return list;
}

/** Full speed: the rate that the load generator and the service reach together, and what a request costs the service. */
const fullSpeed = (service: ProbedService, seconds: number) =>
  rateOf(service, { path: LIST_PATH, headers: GZIP_HEADERS, connections: CONNECTIONS, seconds });

type Latencies = Pick<Pair<PollResult>, 'rest' | 'changing'>;

function latencyFigure(name: string, rounds: readonly Latencies[]): Figure {
  const of = (pick: (round: Latencies) => number) => median(rounds.map(pick));
  const share = ({ notModified, polls }: PollResult) => `${Math.round((notModified / polls) * 100)} % 304`;
  const last = rounds.at(-1) as Latencies;
  return atMost(1.5, {
    name,
    ours: `${milliseconds(of(({ changing }) => changing.p99Ms))} (${share(last.changing)})`,
    floor: `${milliseconds(of(({ rest }) => rest.p99Ms))} at rest (${share(last.rest)})`,
    ratio: of(({ changing, rest }) => changing.p99Ms / rest.p99Ms),
  });
}

/** Polls while flags change, for one size of the list. */
export async function pollsUnderChanges(options: PollsOptions): Promise<Figure[]> {
  const { flagCount, rounds, seconds, pollsPerS, changesPerS } = options;
  const features = makeFlags(flagCount, { seed: 41 });
  const positions = positionsOf(features);
  const service = await startProbedService(features);
  const list = await changedList(service, positions);
  const bare = await startBare(list, 'answers-in-one');
  try {
    const polling = (url: string, tellEtag: boolean) => ({ url, connections: CONNECTIONS, pollsPerS, tellEtag });
    const polls = (tellEtag: boolean) => async () => {
      const client = polling(service.url, tellEtag);
      let loopHolds: LoopHolds | undefined;
      const result = await pollDuring(async () => {
        await service.takeHolds();
        await sleep(seconds * 1000);
        loopHolds = await service.takeHolds();
      }, client);
      return { ...result, loopHolds: loopHolds as LoopHolds };
    };
    const measure = <T>(one: () => Promise<T>) => pair(service, positions, changesPerS, one);
    const measured: {
      lists: Pair<WatchedPolls>;
      etags: Pair<WatchedPolls>;
      sent: PollResult;
      speed: Pair<Rate>;
    }[] = [];
    await fullSpeed(service, 1);
    for (let round = 0; round < rounds; round++) {
      const [lists, etags] = [await measure(polls(false)), await measure(polls(true))];
      const sent = await pollDuring(() => sleep(seconds * 1000), polling(bare.url, false));
      measured.push({ lists, etags, sent, speed: await measure(() => fullSpeed(service, seconds)) });
    }
    const of = (pick: (round: (typeof measured)[number]) => number) => median(measured.map(pick));
    const label = `${flagCount.toLocaleString('en')} flags, ${Math.round(of(({ etags }) => etags.changesPerS))} changes/s`;
    return [
      latencyFigure(
        `${label}: p99 of ${pollsPerS} polls/s for the gzip list`,
        measured.map(({ lists }) => lists),
      ),
      latencyFigure(
        `${label}: p99 of ${pollsPerS} polls/s that send their ETag / of polls for the list`,
        measured.map(({ lists, etags }) => ({ rest: lists.rest, changing: etags.changing })),
      ),
      medians(
        measured,
        `${label}: p99 of these polls / of bare uWS that sends a list of as many bytes (${list.body.byteLength.toLocaleString('en')}) and does nothing else`,
        'ms',
        ({ etags, sent }) => [etags.changing.p99Ms, sent.p99Ms],
      ),
      holdFigure(
        `${label}: loop held at most, with these polls`,
        measured.flatMap(({ lists, etags }) => [lists.changing.loopHolds, etags.changing.loopHolds]),
        LOOP_BLOCKED_MAX_MS,
      ),
      medians(measured, `${label}: gzip list at full speed, rate`, ['/s', 'at rest'], ({ speed }) => [
        speed.changing.perS,
        speed.rest.perS,
      ]),
      costs(
        measured,
        `${label}: gzip list at full speed, CPU a request, the changes’ own included`,
        ['µs', 'at rest'],
        ({ speed }) => [speed.changing.cpuUs, speed.rest.cpuUs],
      ),
    ];
  } finally {
    await bare.end();
    await service.end();
  }
}
