import type { Constraint } from '../../src/model/constraint.ts';
import type { Feature } from '../../src/model/feature.ts';
import { type ProbedService, startProbedService } from '../support/probed.ts';
import { atMost, type Figure, inform, kilobytes, single } from '../support/report.ts';
import { FRONTEND_TOKEN } from '../support/service.ts';
import { besideBare, cpuRow, reachRow } from './beside-bare.ts';
import { arrivalFigures, arrive, leave } from './opening.ts';
import { type Readers, UPDATED } from './readers.ts';

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
    name: flag,
    project: 'default',
    type: 'release',
    description: null,
    stale: false,
    archived: false,
    archivedAt: null,
    impressionData: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    createdBy: { id: 1, name: 'bench' },
    tags: [],
    dependencies: [],
    environments: [
      {
        environment: 'development',
        enabled: false,
        variants: [],
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
  const path = (index: number) =>
    `/api/frontend/streaming?userId=user-${index}&sessionId=session-${index}&properties%5Bplan%5D=plan-${index % PLANS}`;
  return besideBare(service, [path, { authorization: FRONTEND_TOKEN }], async ({ ours, openFloor, send }) => {
    const figures = await opening(service, ours, count);
    await openFloor(count);
    for (const { name, flag } of KINDS) {
      await service.takeHolds();
      const sent = await send(rounds, flag);
      const { longestOwnMs } = await service.takeHolds();
      const who = `${count} browsers, ${name}`;
      figures.push(
        atMost(1.5, cpuRow(`CPU a change and browser, ${who} / bare uWS writing ${sent.eventBytes} B`, sent)),
        reachRow(`change → the last of ${who}`, sent, 'last'),
        held(`the loop is held while ${count} browsers are sent a change, its own part, ${name}`, longestOwnMs),
      );
    }
    return figures;
  });
}

const held = (name: string, holdMs: number): Figure => atMost(10, single(name, 'ms', holdMs));

async function opening(service: ProbedService, ours: Readers, count: number): Promise<Figure[]> {
  const restingBytes = service.residentBytes();
  const at = (holdMs: number, how: string) =>
    held(`${count} browsers ${how} at once: the loop is held, its own part`, holdMs);
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
    inform(`memory a browser of ${count}`, kilobytes(residentBytes)),
    ...arrivalFigures(`${count} browsers come back at once (Last-Event-ID), nothing has changed`, back),
    at(backHoldMs, 'come back'),
  ];
}
