import { fileURLToPath } from 'node:url';
import type { Constraint } from '../../src/model/constraint.ts';
import type { Feature } from '../../src/model/feature.ts';
import { Connection, requestBytes, targetOf } from '../support/connection.ts';
import { freePort } from '../support/free-port.ts';
import { type ProbedService, startProbedService } from '../support/probed.ts';
import { aside, atMost, type Figure, microseconds, milliseconds } from '../support/report.ts';
import { FRONTEND_TOKEN, startProcess, untilReady } from '../support/service.ts';
import { arrivalFigures, arrive, kilobytes, leave } from './opening.ts';
import { Readers, UPDATED } from './readers.ts';
import { bytesOfChange, eventOf, type Sending, sendInTurn, spreadOf } from './sending.ts';
import { Switches } from './switches.ts';

const BARE = fileURLToPath(new URL('../support/bare-streams.js', import.meta.url));

/** A kind of flag, by the context fields that it reads: they decide how many different answers the streams have. */
interface Kind {
  readonly name: string;
  readonly flag: string;
  readonly constraints: readonly Constraint[];
}

const PLANS = 100;

/** Each flag is on for every user, so that every stream is sent the change. The kinds differ in the constraints that have to be evaluated for that. */
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

/** A flag that is the same for every browser: a change of it costs the least. */
export const PLAIN_FLAG: Feature = flagOf(KINDS[0] as Kind);

/**
 * What it costs when `count` browsers connect at once and connect again, and what a change costs for them, by the number of different answers. The floor is
 * a bare uWebSockets.js server that writes as many bytes to as many connections.
 */
export async function measureBrowsers(count: number, features: readonly Feature[], rounds: number): Promise<Figure[]> {
  const service = await startProbedService([...features, ...KINDS.map(flagOf)]);
  const barePort = await freePort();
  const bare = await startProcess(BARE, [String(barePort)], {}, barePort);
  const path = (index: number) =>
    `/api/frontend/streaming?userId=user-${index}&sessionId=session-${index}&properties%5Bplan%5D=plan-${index % PLANS}`;
  const ours = new Readers(service.url, path, { authorization: FRONTEND_TOKEN });
  const floors = new Readers(bare.url, '/stream');
  const bareTarget = targetOf(bare.url);
  const [switches, sender] = [new Switches(service.url), new Connection(bareTarget)];
  try {
    await untilReady(bare);
    const figures = await opening(service, ours, count);
    await floors.open(bare, count);
    for (const { name, flag } of KINDS) {
      const sent: Sending = { server: service, readers: ours, cause: () => switches.next(flag) };
      const eventBytes = await bytesOfChange(sent);
      const send = requestBytes('POST', bareTarget, '/tell', {}, eventOf(eventBytes));
      await service.takeHolds();
      const floor: Sending = { server: bare, readers: floors, cause: () => sender.ask(send) };
      const sendTimes = await sendInTurn(rounds, sent, floor);
      const { longestOwnMs } = await service.takeHolds();
      figures.push(
        ...tellingFigures(`${count} browsers`, name, eventBytes, sendTimes),
        holdFigure(count, name, longestOwnMs),
      );
    }
    return figures;
  } finally {
    ours.close();
    floors.close();
    sender.close();
    switches.close();
    await service.end();
    await bare.end();
  }
}

async function opening(service: ProbedService, ours: Readers, count: number): Promise<Figure[]> {
  const restingBytes = service.residentBytes();
  const at = (holdMs: number, how: string) =>
    atMost(10, {
      name: `${count} browsers ${how} at once: the loop is held, its own part`,
      ours: milliseconds(holdMs),
      floor: milliseconds(1),
      ratio: holdMs,
    });
  await service.takeHolds();
  const first = await arrive(service, ours, count);
  const { longestOwnMs: firstHoldMs } = await service.takeHolds();
  const residentBytes = (service.residentBytes() - restingBytes) / count;
  await leave(service, ours);
  await service.takeHolds();
  const back = await arrive(service, ours, count, UPDATED);
  const { longestOwnMs: backHoldMs } = await service.takeHolds();
  return [
    ...arrivalFigures(`${count} browsers at once, each with answers of its own`, first),
    at(firstHoldMs, 'come'),
    aside({ name: `memory a browser of ${count}`, ours: kilobytes(residentBytes), floor: '', ratio: null }),
    ...arrivalFigures(`${count} browsers come back at once (Last-Event-ID), nothing has changed`, back),
    at(backHoldMs, 'come back'),
  ];
}

type Tellings = Awaited<ReturnType<typeof sendInTurn>>;

function tellingFigures(who: string, kind: string, eventBytes: number, { ours, floor }: Tellings): Figure[] {
  const [last, bareLast] = [spreadOf(ours.times).last, spreadOf(floor.times).last];
  return [
    atMost(1.5, {
      name: `CPU a change and browser, ${who}, ${kind} / bare uWS writing ${eventBytes} B`,
      ours: microseconds(ours.cpuUs),
      floor: microseconds(floor.cpuUs),
      ratio: ours.cpuUs / floor.cpuUs,
    }),
    aside({
      name: `change → the last of ${who}, ${kind}`,
      ours: milliseconds(last),
      floor: milliseconds(bareLast),
      ratio: last / bareLast,
    }),
  ];
}

const holdFigure = (count: number, kind: string, holdMs: number): Figure =>
  atMost(10, {
    name: `the loop is held while ${count} browsers are sent a change, its own part, ${kind}`,
    ours: milliseconds(holdMs),
    floor: milliseconds(1),
    ratio: holdMs,
  });
