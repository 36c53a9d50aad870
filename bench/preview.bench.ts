import { makeFlags } from './support/flags.ts';
import { startInProcess } from './support/in-process.ts';
import { LoopProbe } from './support/loop-probe.ts';
import { type Timed, timed } from './support/measure.ts';
import { atMost, type Figure, finish, median, milliseconds, pair, settings } from './support/report.ts';
import { ADMIN_TOKEN } from './support/service.ts';

/**
 * Previews of unsaved changes over HTTP, against a service in this process with BENCH_FLAGS (500) flags: a change of one flag, with BENCH_CONTEXTS
 * (10,000) made-up contexts, or up to 5,000 contexts in the request. The times are the median of BENCH_ROUNDS (15); the hold is the longest of all rounds: processor time of
 * this thread in one turn of the event loop. The client of the request runs in the same thread.
 */
const { FLAGS, CONTEXTS, ROUNDS } = settings({ FLAGS: 500, CONTEXTS: 10_000, ROUNDS: 15 });
const TIME_AIM_MS = 300;
const HOLD_AIM_MS = 10;

const WARM_UP_ROUNDS = 3;

const body = (feature: string, contexts: object) =>
  JSON.stringify({
    project: 'default',
    environment: 'development',
    changes: [
      {
        action: 'addStrategy',
        feature,
        payload: { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'userId', groupId: feature } },
      },
      { action: 'updateEnabled', feature, payload: { enabled: true } },
    ],
    contexts,
  });

async function measure(url: string, name: string, text: string): Promise<Figure[]> {
  const probe = new LoopProbe();
  const rounds: Timed[] = [];
  const preview = async () => {
    const headers = { authorization: ADMIN_TOKEN, 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/admin/preview`, { method: 'POST', headers, body: text });
    const answer = (await response.json()) as { contexts?: number };
    if (!answer.contexts) throw new Error(`no preview: ${JSON.stringify(answer)}`);
  };
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await preview();
  for (let round = 0; round < ROUNDS; round++) rounds.push(await timed(probe, preview));
  probe.stop();
  const [timeMs, cpuMs] = [median(rounds.map(({ ms }) => ms)), median(rounds.map((round) => round.cpuMs))];
  const longestMs = Math.max(...rounds.map(({ heldMs }) => heldMs));
  return [
    atMost(1, {
      name: `preview of one flag, ${name}`,
      ours: milliseconds(timeMs),
      floor: `${TIME_AIM_MS} ms (${milliseconds(cpuMs)} CPU)`,
      ratio: timeMs / TIME_AIM_MS,
    }),
    atMost(1, pair(`longest hold of the loop, ${name}`, 'ms', longestMs, HOLD_AIM_MS)),
  ];
}

const flags = makeFlags(FLAGS, { seed: 100 });
const running = await startInProcess(flags);
const feature = flags[0]?.name ?? '';
/** A body has at most 50,000 values; a context with two fields has nine of them. */
const GIVEN = Math.min(CONTEXTS, 5_000);
const given = Array.from({ length: GIVEN }, (_, index) => ({ userId: `user-${index}`, appName: 'shop' }));
const url = `http://127.0.0.1:${running.port}`;
const named = (count: number) => count.toLocaleString('en');
const figures = [
  ...(await measure(url, `${named(CONTEXTS)} made-up ids`, body(feature, { madeUp: { count: CONTEXTS } }))),
  ...(await measure(url, `${named(GIVEN)} contexts in the request`, body(feature, { given }))),
];
await running.close();
finish('Previews of changes', figures);
