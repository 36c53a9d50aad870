import type { Feature } from '../../src/model/feature.ts';
import { headerOf } from '../support/answer-parser.ts';
import { Connection, requestBytes, targetOf } from '../support/connection.ts';
import { LIST_PATH } from '../support/paths.ts';
import { aside, bytes, type Figure, inform, median } from '../support/report.ts';
import { CLIENT_TOKEN, startSeededService } from '../support/service.ts';
import { Readers, UPDATED } from './readers.ts';
import { Switches } from './switches.ts';

const SPEC = { authorization: CLIENT_TOKEN, 'unleash-client-spec': '5.2.0' };

interface Way {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const WAYS: readonly Way[] = [
  { name: 'polling', path: LIST_PATH, headers: SPEC },
  { name: 'polling with gzip', path: LIST_PATH, headers: { ...SPEC, 'accept-encoding': 'gzip' } },
  { name: 'delta', path: '/api/client/delta', headers: SPEC },
];

/** The bytes on the wire, heads included, that one SDK is sent when one flag is switched, for each way of connecting. */
export async function measureBytes(features: readonly Feature[], rounds: number): Promise<Figure[]> {
  const [flag = ''] = features.map(({ name }) => name);
  const service = await startSeededService(features);
  const target = targetOf(service.url);
  const [switches, polls] = [new Switches(service.url), new Connection(target)];
  const stream = new Readers(service.url, '/api/client/streaming', SPEC);
  try {
    await stream.open(service, 1);
    const events: number[] = [];
    const sent = new Map<Way, { changed: number[]; same: number[]; tag: string }>();
    for (const way of WAYS) sent.set(way, { changed: [], same: [], tag: '' });
    for (let round = 0; round < rounds + 1; round++) {
      const before = stream.bytes;
      await stream.sent(UPDATED, () => switches.next(flag));
      if (round > 0) events.push(stream.bytes - before);
      for (const [{ path, headers }, of] of sent) {
        const ask = () => polls.ask(requestBytes('GET', target, path, { ...headers, 'if-none-match': of.tag }));
        const answer = await ask();
        if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`);
        of.tag = headerOf(answer.head, 'etag') ?? '';
        const { status, wireBytes } = await ask();
        if (status !== 304) throw new Error(`${path} was answered ${status} though nothing has changed`);
        // In the first round, the SDK is sent everything.
        if (round === 0) continue;
        of.changed.push(answer.wireBytes);
        of.same.push(wireBytes);
      }
    }
    const streamed = median(events);
    const figures = [...sent].map(([{ name }, { changed, same }]) =>
      aside({
        name: `one of ${features.length} flags is switched: what ${name} is sent / what a stream is`,
        ours: `${bytes(median(changed))}, and ${bytes(median(same))} a poll without a change`,
        floor: bytes(streamed),
        ratio: median(changed) / streamed,
      }),
    );
    const name = `one of ${features.length} flags is switched: what a stream is sent`;
    return [...figures, inform(name, bytes(streamed))];
  } finally {
    switches.close();
    polls.close();
    stream.close();
    await service.end();
  }
}
