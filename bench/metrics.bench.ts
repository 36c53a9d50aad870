import type { Feature } from '../src/model/feature.ts';
import { Connection, requestBytes, targetOf } from './support/connection.ts';
import { makeFlags } from './support/flags.ts';
import { startFloor } from './support/floors.ts';
import { inTurn } from './support/in-turn.ts';
import { rateOf } from './support/load.ts';
import { type PollResult, pollDuring } from './support/poller.ts';
import {
  aside,
  atLeast,
  atMost,
  costs,
  type Figure,
  finish,
  inform,
  median,
  medians,
  microseconds,
  pair,
  perSecond,
  settings,
} from './support/report.ts';
import { CLIENT_TOKEN, type Process, startSeededService } from './support/service.ts';

/**
 * The cost of SDKs' reports, against bare uWebSockets.js servers that read the same bodies: one that only reads them, and one that also parses them. Then
 * the effect of reports on polls: the latency of polls at a fixed rate, alternately with and without reports at a fixed rate. Flags: BENCH_FLAGS, flags in a
 * report: BENCH_REPORTED, rounds: BENCH_ROUNDS, seconds a round: BENCH_SECONDS, reports a second beside polls: BENCH_REPORTS.
 */
const {
  FLAGS,
  REPORTED,
  ROUNDS,
  SECONDS,
  REPORTS: REPORTS_PER_S,
} = settings({ FLAGS: 500, REPORTED: 20, ROUNDS: 5, SECONDS: 2, REPORTS: 1_000 });
const POLLS_PER_S = 1_000;
/** 100,000 SDKs report once a minute: 1,700 a second. This is twelve times as much. */
const REPORTS_A_CORE = 20_000;
/** A service runs for days, so the compilation of its first seconds is not measured. */
const WARM_SECONDS = 5;
const CONNECTIONS = 16;
const PATH = '/api/client/metrics';
const HEADERS = { authorization: CLIENT_TOKEN, 'content-type': 'application/json' };

const flags = makeFlags(FLAGS, { seed: FLAGS });

/** SDKs report the variants of a flag, or `disabled` when none applied. */
function variantsOf({ environments }: Feature): Record<string, number> {
  const names = environments.flatMap(({ variants }) => variants.map(({ name }) => name));
  return Object.fromEntries((names.length > 0 ? names : ['disabled']).map((name, at) => [name, 12 + 5 * at]));
}

/** The report of one instance about some flags. */
function reportOf(instance: number): string {
  const reported = flags.slice(instance % FLAGS, (instance % FLAGS) + REPORTED);
  const toggles = Object.fromEntries(
    reported.map((flag) => [flag.name, { yes: 17, no: 4, variants: variantsOf(flag) }]),
  );
  const nowMs = Date.now();
  const bucket = { start: new Date(nowMs - 60_000), stop: new Date(nowMs), toggles };
  const platform = { platformName: 'node', platformVersion: '24.1.0', yggdrasilVersion: null, specVersion: '5.2.0' };
  return JSON.stringify({ appName: `app-${instance % 5}`, instanceId: `instance-${instance}`, bucket, ...platform });
}

const measure = (server: Process, seconds = SECONDS) =>
  rateOf(server, { path: PATH, headers: HEADERS, connections: CONNECTIONS, seconds, body: reportOf(1) });

/** Sends the same body all the time, to measure what accepting a report costs. */
async function againstBare(service: Process, mode: 'read' | 'parse'): Promise<Figure[]> {
  const bare = await startFloor(`${mode}s`);
  try {
    for (const server of [service, bare]) await measure(server, WARM_SECONDS);
    const rounds = await inTurn(ROUNDS, { ours: () => measure(service), floor: () => measure(bare) });
    const of = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
    const name = `reports of ${REPORTED} flags (${reportOf(1).length.toLocaleString('en')} B), a server that ${mode}s them`;
    const rate = medians(rounds, `${name}, rate`, '/s', ({ ours, floor }) => [ours.perS, floor.perS]);
    const cpu = costs(rounds, `${name}, CPU a report`, 'µs', ({ ours, floor }) => [ours.cpuUs, floor.cpuUs]);
    const perCore = 1e6 / of(({ ours }) => ours.cpuUs);
    const floor = atLeast(1, pair(`${name}, a second on one core`, '/s', perCore, REPORTS_A_CORE));
    return [aside(rate), aside(cpu), ...(mode === 'read' ? [floor] : [])];
  } finally {
    await bare.end();
  }
}

/** Sends reports of many instances at the rate while `work` runs. Returns how many were sent. */
async function reportDuring(service: Process, work: Promise<unknown>): Promise<number> {
  const target = targetOf(service.url);
  const requests = Array.from({ length: 200 }, (_, at) => requestBytes('POST', target, PATH, HEADERS, reportOf(at)));
  let isOver = false;
  let sent = 0;
  const beginMs = performance.now();
  const sendAll = async () => {
    const connection = new Connection(target);
    while (!isOver) {
      const due = ((performance.now() - beginMs) / 1_000) * REPORTS_PER_S;
      if (sent >= due) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      const { status } = await connection.ask(requests[sent++ % requests.length] as Buffer);
      if (status !== 202) throw new Error(`a report was answered ${status}`);
    }
    connection.close();
  };
  const senders = Array.from({ length: 8 }, sendAll);
  try {
    await Promise.race([work, ...senders.map((sender) => sender.then(() => work))]);
  } finally {
    isOver = true;
  }
  await Promise.all(senders);
  return sent;
}

type Polled = PollResult & { readonly cpuS: number };

async function besidePolls(service: Process): Promise<Figure[]> {
  const polling = (work: () => Promise<unknown>) =>
    pollDuring(work, { url: service.url, connections: CONNECTIONS, pollsPerS: POLLS_PER_S, tellEtag: true });
  const wait = (seconds = SECONDS) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  const measured = async (work: () => Promise<unknown>) => {
    const before = service.cpuS();
    const result = await polling(work);
    return { ...result, cpuS: service.cpuS() - before };
  };
  const rounds: { alone: Polled; beside: Polled; reports: number }[] = [];
  await polling(() => reportDuring(service, wait(WARM_SECONDS)));
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await measured(wait);
    let reports = 0;
    const beside = await measured(async () => {
      reports = await reportDuring(service, wait());
    });
    rounds.push({ alone, beside, reports });
  }
  const of = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
  const perReportUs = of(({ alone, beside, reports }) => ((beside.cpuS - alone.cpuS) / reports) * 1e6);
  return [
    atMost(
      2,
      medians(
        rounds,
        `polls (304) at ${perSecond(POLLS_PER_S)} beside ${perSecond(REPORTS_PER_S)} reports, p99`,
        ['ms', 'without'],
        ({ beside, alone }) => [beside.p99Ms, alone.p99Ms],
      ),
    ),
    medians(rounds, 'the same, p50', ['ms', 'without'], ({ beside, alone }) => [beside.p50Ms, alone.p50Ms]),
    inform(
      'CPU a report beside polls, with summing, counting and storing',
      microseconds(perReportUs),
      `${perSecond(of(({ reports }) => reports / SECONDS))} taken`,
    ),
  ];
}

const service = await startSeededService(flags);
try {
  const figures = [
    ...(await againstBare(service, 'read')),
    ...(await againstBare(service, 'parse')),
    ...(await besidePolls(service)),
  ];
  finish('What SDKs report', figures);
} finally {
  await service.end();
}
