import type { Constraint, Operator } from '../../src/model/constraint.ts';
import type { Feature } from '../../src/model/feature.ts';
import { FEATURE_TYPES } from '../../src/model/feature.ts';
import type { Segment } from '../../src/model/segment.ts';
import type { Strategy } from '../../src/model/strategy.ts';
import { SeededRandom } from './random.ts';

const AT = '2026-01-01T00:00:00.000Z';
const REGIONS = ['eu', 'us', 'ap', 'sa', 'af'];
const OPERATORS: readonly Operator[] = [
  'IN',
  'NOT_IN',
  'STR_STARTS_WITH',
  'STR_CONTAINS',
  'NUM_GT',
  'NUM_LTE',
  'DATE_AFTER',
  'SEMVER_GT',
  'SEMVER_LT',
];

const SEGMENT_COUNT = 20;

interface FlagOptions {
  readonly seed: number;
  readonly project?: string;
  readonly environments?: readonly string[];
  /** Exactly this many strategies a flag; otherwise 0 to 3. */
  readonly strategies?: number;
}

/** Realistic flags: most with a rollout and a constraint or two, some with variants, some off, names of differing length. */
export function makeFlags(count: number, options: FlagOptions): Feature[] {
  const random = new SeededRandom(options.seed);
  const environments = options.environments ?? ['development', 'production'];
  return Array.from({ length: count }, (_, index) =>
    makeFlag(index, random, options.project ?? 'default', environments, options.strategies),
  );
}

function makeFlag(
  index: number,
  random: SeededRandom,
  project: string,
  environments: readonly string[],
  strategyCount: number | undefined,
): Feature {
  const name = `${random.pick(['checkout', 'search', 'billing', 'onboarding', 'api', 'mobile-app'])}.${random.pick(['new', 'beta', 'fast', 'experimental'])}-${index}`;
  return {
    name,
    project,
    type: random.pick(FEATURE_TYPES),
    description: random.chance(0.5) ? `Switches ${name} on, owned by team ${random.integer(40)}` : null,
    stale: random.chance(0.05),
    archived: false,
    archivedAt: null,
    impressionData: random.chance(0.2),
    createdAt: AT,
    createdBy: { id: 1, name: 'bench' },
    tags: random.chance(0.3) ? [{ type: 'simple', value: `team-${random.integer(40)}` }] : [],
    dependencies: [],
    environments: environments.map((environment) => ({
      environment,
      enabled: random.chance(0.7),
      strategies: Array.from({ length: strategyCount ?? random.pick([0, 1, 1, 1, 2, 2, 3]) }, (_, at) =>
        makeStrategy(random, name, `${index}-${environment}-${at}`, at),
      ),
      variants: random.chance(0.15) ? makeVariants(random) : [],
    })),
  };
}

function makeStrategy(random: SeededRandom, flag: string, id: string, sortOrder: number): Strategy {
  const kind = random.pick([
    'flexibleRollout',
    'flexibleRollout',
    'flexibleRollout',
    'default',
    'userWithId',
    'remoteAddress',
  ]);
  const parameters = {
    flexibleRollout: {
      rollout: String(random.integer(101)),
      stickiness: random.pick(['default', 'userId', 'sessionId', 'random']),
      groupId: flag,
    },
    default: {},
    userWithId: { userIds: Array.from({ length: 5 }, () => `user-${random.integer(5000)}`).join(',') },
    remoteAddress: { IPs: '10.0.0.0/8,127.0.0.1' },
  }[kind] as Record<string, string>;
  return {
    id,
    name: kind,
    title: null,
    disabled: random.chance(0.05),
    sortOrder,
    parameters,
    constraints: Array.from({ length: random.pick([0, 0, 1, 1, 2]) }, () => makeConstraint(random)),
    segments: random.chance(0.2) ? [1 + random.integer(SEGMENT_COUNT)] : [],
    variants: [],
  };
}

function makeConstraint(random: SeededRandom, operator: Operator = random.pick(OPERATORS)): Constraint {
  const flags = { ...(random.chance(0.1) && { inverted: true }), ...(random.chance(0.1) && { caseInsensitive: true }) };
  switch (operator) {
    case 'IN':
    case 'NOT_IN':
      return random.chance(0.5)
        ? { contextName: 'region', operator, values: REGIONS.slice(0, 1 + random.integer(4)), ...flags }
        : {
            contextName: 'userId',
            operator,
            values: Array.from({ length: 1 + random.integer(30) }, () => `user-${random.integer(5000)}`),
            ...flags,
          };
    case 'STR_STARTS_WITH':
    case 'STR_CONTAINS':
      return {
        contextName: random.pick(['userId', 'appName']),
        operator,
        values: [random.pick(['user-1', 'user-4', 'shop', '7'])],
        ...flags,
      };
    case 'NUM_GT':
    case 'NUM_LTE':
      return { contextName: 'age', operator, value: String(random.integer(100)), ...flags };
    case 'DATE_AFTER':
      return { contextName: 'currentTime', operator, value: `202${random.integer(10)}-06-01T00:00:00.000Z`, ...flags };
    default:
      return { contextName: 'version', operator, value: `${random.integer(6)}.${random.integer(10)}.0`, ...flags };
  }
}

function makeVariants(random: SeededRandom) {
  const second = 100 + random.integer(800);
  return [
    { name: 'control', weight: 1000 - second, weightType: 'variable' as const, stickiness: 'default' },
    {
      name: 'treatment',
      weight: second,
      weightType: 'fix' as const,
      stickiness: 'default',
      payload: { type: 'string' as const, value: 'green' },
    },
  ];
}

export function makeSegments(seed: number): Segment[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: SEGMENT_COUNT }, (_, index) => ({
    id: index + 1,
    name: `segment-${index + 1}`,
    description: null,
    constraints: Array.from({ length: 1 + random.integer(3) }, () => makeConstraint(random)),
    project: null,
    createdBy: 'bench',
    createdAt: AT,
  }));
}

export interface BenchContext {
  readonly userId: string;
  readonly sessionId: string;
  readonly remoteAddress: string;
  readonly appName: string;
  readonly properties: Record<string, string>;
}

export function makeContexts(count: number, seed: number): BenchContext[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, () => ({
    userId: `user-${random.integer(5000)}`,
    sessionId: `session-${random.integer(5000)}`,
    remoteAddress: random.chance(0.5)
      ? `10.0.${random.integer(256)}.${random.integer(256)}`
      : `192.168.0.${random.integer(256)}`,
    appName: random.pick(['shop', 'backoffice', 'app-7']),
    properties: {
      region: random.pick(REGIONS),
      age: String(random.integer(100)),
      version: `${random.integer(6)}.${random.integer(10)}.${random.integer(5)}`,
    },
  }));
}
