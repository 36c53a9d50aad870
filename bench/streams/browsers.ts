import { fileURLToPath } from 'node:url';
import type { Constraint } from '../../src/model/constraint.ts';
import type { Feature } from '../../src/model/feature.ts';
import { Connection, requestBytes, targetOf } from '../support/connection.ts';
import { freePort } from '../support/free-port.ts';
import { switchRequest } from '../support/paths.ts';
import { startProbedService } from '../support/probed.ts';
import { aside, atMost, type Figure, median, microseconds, milliseconds } from '../support/report.ts';
import { FRONTEND_TOKEN, startProcess, untilReady } from '../support/service.ts';
import { Readers } from './readers.ts';

const BARE = fileURLToPath(new URL('../support/bare-streams.js', import.meta.url));

/** How many different answers the streams' contexts have: what the flag that changes reads of them. */
interface Kind {
  readonly name: string;
  readonly flag: string;
  readonly constraints: readonly Constraint[];
}

const PLANS = 100;

/** On for everybody in each case, so that everybody is told; what differs is what has to be asked to know that. */
const KINDS: readonly Kind[] = [
  { name: 'a flag that reads nothing', flag: 'reads-nothing', constraints: [] },
  {
    name: `a flag by plan, ${PLANS} plans`,
    flag: 'reads-plan',
    constraints: [{ contextName: 'plan', operator: 'NOT_IN', values: ['none'] }],
  },
  {
    name: 'a flag by user, each another',
    flag: 'reads-user',
    constraints: [{ contextName: 'userId', operator: 'NOT_IN', values: ['nobody'] }],
  },
];

function flagOf({ flag, constraints }: Kind): Feature {
  const strategy = { id: flag, name: 'default', title: null, disabled: false, sortOrder: 0, parameters: {} };
  return {
    ...{ name: flag, project: 'default', type: 'release', description: null, stale: false, archived: false },
    ...{ archivedAt: null, impressionData: false, createdAt: '2026-01-01T00:00:00.000Z' },
    ...{ createdBy: { id: 1, name: 'bench' }, tags: [], dependencies: [] },
    environments: [
      {
        ...{ environment: 'development', enabled: false, variants: [] },
        strategies: [{ ...strategy, constraints: [...constraints], segments: [], variants: [] }],
      },
    ],
  };
}

/**
 * What a change costs for so many browsers, by how many different answers they have, against a bare uWebSockets.js server that writes the same bytes to as
 * many connections.
 */
export async function measureBrowsers(count: number, features: readonly Feature[], rounds: number): Promise<Figure[]> {
  const service = await startProbedService([...features, ...KINDS.map(flagOf)]);
  const barePort = await freePort();
  const bare = await startProcess(BARE, [String(barePort)], {}, barePort);
  const path = (index: number) =>
    `/api/frontend/streaming?userId=user-${index}&sessionId=session-${index}&properties%5Bplan%5D=plan-${index % PLANS}`;
  const ours = new Readers(service.url, path, { authorization: FRONTEND_TOKEN });
  const floors = new Readers(bare.url, '/stream');
  const [target, bareTarget] = [targetOf(service.url), targetOf(bare.url)];
  const [writes, teller] = [new Connection(target), new Connection(bareTarget)];
  const turn = async (flag: string, position: 'on' | 'off') => {
    const { status } = await writes.ask(switchRequest(target, flag, position));
    if (status !== 200) throw new Error(`a write was answered ${status}`);
  };
  try {
    await untilReady(bare);
    const restingBytes = service.residentBytes();
    const cpuBeforeS = service.cpuS();
    const opened = await ours.open(count, 'unleash-connected');
    const openCpuUs = ((service.cpuS() - cpuBeforeS) / count) * 1e6;
    const { longestOwnMs: openHeldMs } = await service.takeHolds();
    const residentBytes = (service.residentBytes() - restingBytes) / count;
    await floors.open(count, ':\n\n');
    const figures: Figure[] = [
      aside({
        name: `${count} browsers at once, each with answers of its own: until the last has them; CPU a stream`,
        ours: milliseconds(Math.max(...opened)),
        floor: microseconds(openCpuUs),
        ratio: null,
      }),
      atMost(10, {
        name: `${count} browsers at once: the loop is held, its own part`,
        ours: milliseconds(openHeldMs),
        floor: milliseconds(1),
        ratio: openHeldMs,
      }),
      aside({ name: 'memory a browser', ours: `${(residentBytes / 1024).toFixed(1)} kB`, floor: '', ratio: null }),
    ];
    for (const { name, flag } of KINDS) {
      const bytesBefore = ours.bytes;
      await ours.told('unleash-updated', () => turn(flag, 'on'));
      const eventBytes = Math.round((ours.bytes - bytesBefore) / count);
      await ours.told('unleash-updated', () => turn(flag, 'off'));
      const event = `event: unleash-updated\n${'x'.repeat(Math.max(0, eventBytes - 40))}\n\n`;
      const tell = requestBytes('POST', bareTarget, '/tell', {}, event);
      const last: number[] = [];
      await service.takeHolds();
      const [ourBeforeS, bareBeforeS] = [service.cpuS(), bare.cpuS()];
      for (let round = 0; round < rounds; round++)
        last.push(Math.max(...(await ours.told('unleash-updated', () => turn(flag, round % 2 ? 'off' : 'on')))));
      const { longestOwnMs } = await service.takeHolds();
      const ourUs = ((service.cpuS() - ourBeforeS) / rounds / count) * 1e6;
      const bareLast: number[] = [];
      for (let round = 0; round < rounds; round++)
        bareLast.push(Math.max(...(await floors.told('unleash-updated', () => teller.ask(tell)))));
      const bareUs = ((bare.cpuS() - bareBeforeS) / rounds / count) * 1e6;
      if (rounds % 2) await ours.told('unleash-updated', () => turn(flag, 'off'));
      figures.push(
        atMost(1.5, {
          name: `CPU a change and browser, ${count} browsers, ${name} / bare uWS writing ${eventBytes} B`,
          ours: microseconds(ourUs),
          floor: microseconds(bareUs),
          ratio: ourUs / bareUs,
        }),
        aside({
          name: `change → the last of ${count} browsers, ${name}`,
          ours: milliseconds(median(last)),
          floor: milliseconds(median(bareLast)),
          ratio: median(last) / median(bareLast),
        }),
        atMost(10, {
          name: `the loop is held while ${count} browsers are told, its own part, ${name}`,
          ours: milliseconds(longestOwnMs),
          floor: milliseconds(1),
          ratio: longestOwnMs,
        }),
      );
    }
    return figures;
  } finally {
    ours.close();
    floors.close();
    teller.close();
    writes.close();
    await service.end();
    await bare.end();
  }
}
