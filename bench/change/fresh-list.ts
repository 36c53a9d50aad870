import { gunzipSync, gzipSync } from 'node:zlib';
import { Rejection } from '../../src/base/rejection.ts';
import { switchFeatures } from '../../src/features/flags/environments/switch-features.ts';
import type { RunningService } from '../../src/products/server/service.ts';
import { headerOf } from '../support/answer-parser.ts';
import { Connection, requestBytes, targetOf } from '../support/connection.ts';
import { makeFlags } from '../support/flags.ts';
import { startInProcess } from '../support/in-process.ts';
import { LIST_PATH, switchRequest } from '../support/paths.ts';
import { startProbedService } from '../support/probed.ts';
import { SeededRandom } from '../support/random.ts';
import { aside, atMost, type Figure, median, medians, milliseconds } from '../support/report.ts';
import { BY, CLIENT_TOKEN } from '../support/service.ts';
import { holdFigure } from './hold-figure.ts';

const CHANGES_A_ROUND = 40;
const LOOP_BLOCKED_MAX_MS = 10;

interface InsideRound {
  readonly freshMs: number;
  readonly wholeMs: number;
  readonly listBytes: number;
}

/** From the durable commit to the compressed list: applying the commit, updating the views, compressing, stitching. */
async function changeInside({ services }: RunningService, name: string, enabled: boolean): Promise<number> {
  const { replica, writer, clientViews, tokens } = services;
  const scope = tokens.find(CLIENT_TOKEN)?.scope;
  if (!scope) throw new Error('the token is missing');
  let applyMs = 0;
  const offer = replica.offer.bind(replica);
  replica.offer = (commit) => {
    const startedMs = performance.now();
    const applied = offer(commit);
    applyMs += performance.now() - startedMs;
    return applied;
  };
  const input = {
    project: 'default',
    names: [name],
    environment: 'development',
    enabled,
    activateDisabledStrategies: false,
  };
  const outcome = await writer.submit(switchFeatures, input, BY);
  replica.offer = offer;
  if (outcome instanceof Rejection) throw new Error(outcome.message);
  const view = clientViews.view(scope, 2);
  const startedMs = performance.now();
  await view.refresh();
  void view.gzip;
  return applyMs + performance.now() - startedMs;
}

async function insideRound(
  running: RunningService,
  names: readonly string[],
  random: SeededRandom,
): Promise<InsideRound> {
  const times: number[] = [];
  for (let index = 0; index < CHANGES_A_ROUND; index++) {
    const name = random.pick(names);
    // The flag is switched on first, so that switching it off is always a change.
    await changeInside(running, name, true);
    times.push(await changeInside(running, name, false));
  }
  const scope = running.services.tokens.find(CLIENT_TOKEN)?.scope;
  if (!scope) throw new Error('the token is missing');
  const view = running.services.clientViews.view(scope, 2);
  const [list, gzip] = [Buffer.concat(view.identity.parts), Buffer.concat(view.gzip.parts)];
  if (!gunzipSync(gzip).equals(list)) throw new Error('the stitched list is not the list');
  const wholes = Array.from({ length: 5 }, () => {
    const startedMs = performance.now();
    gzipSync(list);
    return performance.now() - startedMs;
  });
  return { freshMs: median(times), wholeMs: median(wholes), listBytes: list.byteLength };
}

/** A fresh list after a change, without a transport. */
export async function freshListInside(flagCount: number, rounds: number): Promise<{ figure: Figure; wholeMs: number }> {
  const features = makeFlags(flagCount, { seed: 31 });
  const running = await startInProcess(features);
  try {
    const names = features.map(({ name }) => name);
    const random = new SeededRandom(31);
    await insideRound(running, names, random);
    const measured: InsideRound[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await insideRound(running, names, random));
    const of = (pick: (round: InsideRound) => number) => median(measured.map(pick));
    const wholeMs = of((round) => round.wholeMs);
    const figure = atMost(0.1, {
      name: `one of ${flagCount.toLocaleString('en')} flags changed → fresh gzip list ready (${Math.round(of(({ listBytes }) => listBytes)).toLocaleString('en')} B)`,
      ours: milliseconds(of((round) => round.freshMs)),
      floor: `${milliseconds(wholeMs)} gzip of it`,
      ratio: of((round) => round.freshMs / round.wholeMs),
    });
    return { figure, wholeMs };
  } finally {
    await running.close();
  }
}

/** A fresh list after a change, over HTTP: from sending the change, and from its acknowledgement, to the last byte of the fresh list. */
export async function freshListOverHttp(flagCount: number, rounds: number, wholeMs: number): Promise<Figure[]> {
  const features = makeFlags(flagCount, { seed: 31 });
  const service = await startProbedService(features);
  const target = targetOf(service.url);
  const [admin, client] = [new Connection(target), new Connection(target)];
  const random = new SeededRandom(32);
  const list = async (etag: string) => {
    const headers = { authorization: CLIENT_TOKEN, 'unleash-client-spec': '5.2.0', 'accept-encoding': 'gzip' };
    const request = requestBytes(
      'GET',
      target,
      LIST_PATH,
      etag === '' ? headers : { ...headers, 'if-none-match': etag },
    );
    const startedMs = performance.now();
    const { status, head } = await client.ask(request);
    if (status !== 200) throw new Error(`the list was answered ${status}`);
    return { tookMs: performance.now() - startedMs, etag: headerOf(head, 'etag') ?? '' };
  };
  const round = async () => {
    const [sent, fresh, known]: [number[], number[], number[]] = [[], [], []];
    for (let index = 0; index < CHANGES_A_ROUND; index++) {
      const { name } = random.pick(features);
      await admin.ask(switchRequest(target, name, 'on'));
      const { etag } = await list('');
      known.push((await list('')).tookMs);
      const startedMs = performance.now();
      const { status } = await admin.ask(switchRequest(target, name, 'off'));
      if (status !== 200) throw new Error(`a change was answered ${status}`);
      fresh.push((await list(etag)).tookMs);
      sent.push(performance.now() - startedMs);
    }
    return {
      sentMs: median(sent),
      freshMs: median(fresh),
      knownMs: median(known),
      loopHolds: await service.takeHolds(),
    };
  };
  try {
    await round();
    const measured: Awaited<ReturnType<typeof round>>[] = [];
    for (let index = 0; index < rounds; index++) measured.push(await round());
    const of = (pick: (one: (typeof measured)[number]) => number) => median(measured.map(pick));
    return [
      medians(
        measured,
        'change acknowledged → fresh gzip list received over HTTP',
        ['ms', 'the same list, nothing changed'],
        ({ freshMs, knownMs }) => [freshMs, knownMs],
      ),
      aside({
        name: 'change sent → durable → fresh gzip list received over HTTP',
        ours: milliseconds(of(({ sentMs }) => sentMs)),
        floor: `${milliseconds(wholeMs)} gzip of it`,
        ratio: of(({ sentMs }) => sentMs / wholeMs),
      }),
      holdFigure(
        'loop held at most, while flags change',
        measured.map(({ loopHolds }) => loopHolds),
        LOOP_BLOCKED_MAX_MS,
      ),
    ];
  } finally {
    admin.close();
    client.close();
    await service.end();
  }
}
