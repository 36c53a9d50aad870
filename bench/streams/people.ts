import type { Feature } from '../../src/model/feature.ts';
import { atMost, type Figure } from '../support/report.ts';
import { ADMIN_TOKEN, startSeededService } from '../support/service.ts';
import { besideBare, cpuRow, reachRow, timeWrites } from './beside-bare.ts';

/** Streams of one token; the service accepts at most 200. */
const STREAMS_PER_TOKEN = 100;

/** What a commit costs if `count` people follow the changes, against a bare uWebSockets.js server that writes as many bytes to as many connections. */
export async function measurePeople(count: number, features: readonly Feature[], rounds: number): Promise<Figure[]> {
  const tokens = Array.from(
    { length: Math.ceil(count / STREAMS_PER_TOKEN) },
    (_, index) => `*:*.bench-person-${index}`,
  );
  const env = { INIT_ADMIN_API_TOKENS: [ADMIN_TOKEN, ...tokens].join() };
  const service = await startSeededService(features, { env });
  const headers = (index: number) => ({ authorization: tokens[index % tokens.length] as string });
  return besideBare(service, ['/api/admin/changes', headers], async ({ ours, switches, openFloor, send }) => {
    const [{ name: flag } = { name: '' }] = features;
    const writeMs = await timeWrites(switches, flag, rounds);
    await ours.open(service, count, 'event: connected\n');
    await openFloor(count);
    const sent = await send(rounds, flag, 'event: commit\n');
    const who = `${count} streams of /api/admin/changes`;
    const name = `commit → the last of ${who} / a write by itself and bare uWS writing the same ${sent.eventBytes} B`;
    return [
      atMost(1.5, reachRow(name, sent, 'last', writeMs)),
      cpuRow(`CPU of the process a commit and stream, ${who}`, sent),
    ];
  });
}
