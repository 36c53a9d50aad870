import type { Feature } from '../../src/model/feature.ts';
import { measure, record } from '../support/against-bare.ts';
import { inTurn } from '../support/in-turn.ts';
import { atMost, type Figure, median, microseconds } from '../support/report.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, type Process, startSeededService } from '../support/service.ts';
import { Readers } from './readers.ts';

const PEOPLE = 50;
const CONNECTIONS = 64;
const SECONDS = 1;

/** The processor time of a poll while 50 people follow the changes and the index of flags is kept, against the same service without them, in turn. */
export async function measurePollsBesidePeople(features: readonly Feature[], rounds: number): Promise<Figure[]> {
  const alone = await startSeededService(features);
  const followed = await startSeededService(features);
  const readers = new Readers(followed.url, '/api/admin/changes', { authorization: ADMIN_TOKEN });
  try {
    await readers.open(followed, PEOPLE, 'event: connected\n');
    await fetch(`${followed.url}/api/admin/flag-index`, { headers: { authorization: ADMIN_TOKEN } }).then((answer) =>
      answer.arrayBuffer(),
    );
    const figures: Figure[] = [];
    for (const kind of ['gzip', '304']) {
      const asked = (service: Process) => () => poll(service, kind);
      const ways = { followed: asked(followed), alone: asked(alone) };
      await inTurn(1, ways);
      const measured = await inTurn(rounds, ways);
      figures.push(
        atMost(1.02, {
          name: `CPU of a poll, ${kind}, ${features.length} flags: beside ${PEOPLE} people and the index of flags / without them`,
          ours: microseconds(median(measured.map((round) => round.followed.cpuUs))),
          floor: microseconds(median(measured.map((round) => round.alone.cpuUs))),
          ratio: median(measured.map((round) => round.followed.cpuUs / round.alone.cpuUs)),
        }),
      );
    }
    return figures;
  } finally {
    readers.close();
    await alone.end();
    await followed.end();
  }
}

async function poll(service: Process, kind: string) {
  const base = {
    authorization: CLIENT_TOKEN,
    'accept-encoding': 'gzip',
    'unleash-appname': 'bench',
    'unleash-instanceid': 'bench-1',
  };
  const { etag } = await record(`${service.url}/api/client/features`, base);
  const headers = kind === '304' ? { ...base, 'if-none-match': etag } : base;
  return measure(service, headers, { connections: CONNECTIONS, seconds: SECONDS });
}
