import { arrive, leave } from './streams/opening.ts';
import { Readers, UPDATED } from './streams/readers.ts';
import { Switches } from './streams/switches.ts';
import { record, startBare } from './support/against-bare.ts';
import { makeFlags } from './support/flags.ts';
import { inTurn } from './support/in-turn.ts';
import { rateOf } from './support/load.ts';
import { atMost, type Figure, finish, kilobytes, medians, microseconds, pair, settings } from './support/report.ts';
import { CLIENT_TOKEN, type Process, startSeededService } from './support/service.ts';

/**
 * Both fronts side by side: CPU of polls against a bare server of the same kind that sends the same head and body, CPU and memory of streams, CPU of
 * writes. All servers are measured in turn, in one run.
 * BENCH_FLAGS (500), BENCH_ROUNDS (5), BENCH_SECONDS a round (2), BENCH_STREAMS (1000), BENCH_WRITES (400).
 */
const { FLAGS, ROUNDS, SECONDS, STREAMS, WRITES } = settings({
  FLAGS: 500,
  ROUNDS: 5,
  SECONDS: 2,
  STREAMS: 1_000,
  WRITES: 400,
});
const CONNECTIONS = 64;
const LIST = '/api/client/features';
const CHANGES = 20;
/** What a poll on the Node front may cost, in multiples of the bare server of Node. */
const NODE_POLL_MAX = 1.15;

const POLL = {
  authorization: CLIENT_TOKEN,
  'unleash-client-spec': '5.2.0',
  'unleash-appname': 'bench',
  'unleash-instanceid': 'bench-1',
};
const features = makeFlags(FLAGS, { seed: FLAGS });
const [flag = ''] = features.map(({ name }) => name);
const start = (front: string) => startSeededService(features, { env: { HTTP_FRONT: front } });

async function polls(services: Readonly<Record<'fast' | 'node', Process>>): Promise<Figure[]> {
  const figures: Figure[] = [];
  const { etag } = await record(services.fast.url + LIST, POLL);
  const ways: Readonly<Record<string, Record<string, string>>> = {
    'a poll, 304': { ...POLL, 'if-none-match': etag },
    'a poll, gzip': { ...POLL, 'accept-encoding': 'gzip' },
    'a poll, identity': POLL,
  };
  for (const [name, headers] of Object.entries(ways)) {
    // Each service has ETags of its own.
    const own = async (service: Process) =>
      headers === ways['a poll, 304']
        ? { ...headers, 'if-none-match': (await record(service.url + LIST, POLL)).etag }
        : headers;
    const [ofFast, ofNode] = [await own(services.fast), await own(services.node)];
    const answer = await record(services.node.url + LIST, ofNode);
    const bareUws = await startBare(answer, 'answers-in-one');
    const bareNode = await startBare(answer, 'node');
    const ask = (server: Process, sent: Record<string, string>) => async () =>
      (await rateOf(server, { path: LIST, headers: sent, connections: CONNECTIONS, seconds: SECONDS })).cpuUs;
    const servers = {
      fast: ask(services.fast, ofFast),
      node: ask(services.node, ofNode),
      bareUws: ask(bareUws, ofFast),
      bareNode: ask(bareNode, ofNode),
    };
    await inTurn(1, servers);
    const rounds = await inTurn(ROUNDS, servers);
    figures.push(
      medians(rounds, `${name}: CPU, fast front against bare uWebSockets.js`, 'µs', (round) => [
        round.fast,
        round.bareUws,
      ]),
      atMost(
        NODE_POLL_MAX,
        medians(rounds, `${name}: CPU, Node front against bare node:http`, 'µs', (round) => [
          round.node,
          round.bareNode,
        ]),
      ),
    );
    await Promise.all([bareUws.end(), bareNode.end()]);
  }
  return figures;
}

interface Costs {
  readonly openUs: number;
  readonly openBytes: number;
  readonly changeUs: number;
  readonly writeUs: number;
  readonly restBytes: number;
}

async function streamsAndWrites(service: Process): Promise<Costs> {
  const restBytes = service.residentBytes();
  const switches = new Switches(service.url);
  for (let write = 0; write < WRITES / 4; write++) await switches.next(flag);
  let beforeS = service.cpuS();
  for (let write = 0; write < WRITES; write++) await switches.next(flag);
  const writeUs = ((service.cpuS() - beforeS) / WRITES) * 1e6;
  const readers = new Readers(service.url, '/api/client/streaming', { authorization: CLIENT_TOKEN });
  const { cpuUs: openUs, peakBytes: openBytes } = await arrive(service, readers, STREAMS);
  beforeS = service.cpuS();
  for (let change = 0; change < CHANGES; change++) {
    await readers.sent(UPDATED, () => switches.next(flag));
  }
  const changeUs = Math.max(0, ((service.cpuS() - beforeS) / CHANGES) * 1e6 - writeUs) / STREAMS;
  await leave(service, readers);
  switches.close();
  return { openUs, openBytes, changeUs, writeUs, restBytes };
}

const services = { fast: await start('fast'), node: await start('node') };
try {
  const figures = await polls(services);
  const fast = await streamsAndWrites(services.fast);
  const node = await streamsAndWrites(services.node);
  const row = (name: string, pick: (costs: Costs) => number, text: (value: number) => string) =>
    pair(name, text, pick(node), pick(fast));
  figures.push(
    row('a write: CPU, Node front against fast front', ({ writeUs }) => writeUs, microseconds),
    row(`opening one of ${STREAMS} streams: CPU`, ({ openUs }) => openUs, microseconds),
    row(`opening one of ${STREAMS} streams: memory`, ({ openBytes }) => openBytes, kilobytes),
    row(`a change, to one of ${STREAMS} streams: CPU`, ({ changeUs }) => changeUs, microseconds),
    row('resident memory after the polls', ({ restBytes }) => restBytes, kilobytes),
  );
  finish('The fronts', figures);
} finally {
  await Promise.all([services.fast.end(), services.node.end()]);
}
