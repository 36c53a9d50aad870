import { compare, record } from './support/against-bare.ts';
import { makeFlags } from './support/flags.ts';
import { type Figure, finish, numbers, settings } from './support/report.ts';
import { CLIENT_TOKEN, startSeededService } from './support/service.ts';

/**
 * The client list against the floor: the same bytes and headers from a bare uWebSockets.js server, in turn, in one run. Ratios by rate and
 * by processor time a request, because on few cores the load generator can be the limit and a rate then hides the cost.
 * Sizes: BENCH_SIZES (flags, comma-separated), rounds: BENCH_ROUNDS, seconds a round: BENCH_SECONDS.
 */
const SIZES = numbers('BENCH_SIZES', '5,500,10000');
const { ROUNDS, SECONDS } = settings({ ROUNDS: 5, SECONDS: 2 });
const HOW = { rounds: ROUNDS, seconds: SECONDS };

const figures: Figure[] = [];
for (const size of SIZES) {
  const service = await startSeededService(makeFlags(size, { seed: size }));
  try {
    const base = {
      authorization: CLIENT_TOKEN,
      'unleash-client-spec': '5.2.0',
      'unleash-appname': 'bench',
      'unleash-instanceid': 'bench-1',
    };
    const { etag } = await record(`${service.url}/api/client/features`, base);
    const how = { ...HOW, connections: size >= 10_000 ? 16 : 64 };
    figures.push(...(await compare(`list, ${size} flags, identity`, service, base, how)));
    figures.push(...(await compare(`list, ${size} flags, gzip`, service, { ...base, 'accept-encoding': 'gzip' }, how)));
    figures.push(
      ...(await compare(
        `list, ${size} flags, 304`,
        service,
        { ...base, 'if-none-match': etag },
        { ...HOW, connections: 64 },
      )),
    );
  } finally {
    await service.end();
  }
}
finish('Client list against bare uWebSockets.js', figures);
