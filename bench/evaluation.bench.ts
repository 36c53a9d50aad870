/**
 * Nanoseconds an evaluation: the compiled evaluation against the public Node SDK, in one process, over the same flags and contexts.
 * BENCH_ROUNDS (5): rounds alternate between the two; the median of the rounds counts.
 */
import { EventEmitter } from 'node:events';
import Benchmark from 'benchmark';
import { Unleash } from 'unleash-client';
import { type CompiledFlag, compileFlag, type FlagDefinition } from '../src/evaluation/compile.ts';
import type { EvaluationContext } from '../src/evaluation/context.ts';
import { isOn, resolve } from '../src/evaluation/evaluate.ts';
import type { SegmentDefinition } from '../src/evaluation/segment.ts';
import type { Constraint } from '../src/model/constraint.ts';
import type { Strategy } from '../src/model/strategy.ts';
import { SeededRandom } from './support/random.ts';
import { aside, atLeast, costs, type Figure, finish, type Measured, setting } from './support/report.ts';

const ROUNDS = setting('BENCH_ROUNDS', 5);
const ROUND_MAX_S = 0.2;
const NOW_MS = Date.parse('2026-06-01T00:00:00.000Z');
const CONTEXT_COUNT = 100;

interface Scenario {
  readonly name: string;
  readonly flags: readonly FlagDefinition[];
  readonly segments: readonly SegmentDefinition[];
}

/** Every run measures the same flags. */
const random = new SeededRandom(42);
const below = (limit: number) => random.integer(limit);
const pick = <T>(items: readonly T[]): T => random.pick(items);
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const REGIONS = ['eu', 'us', 'ap', 'sa'];
const ids = (count: number, from = 0) => times(count, (index) => `user-${from + index}`);

const contexts: readonly EvaluationContext[] = times(CONTEXT_COUNT, (index) => ({
  userId: `user-${index * 7}`,
  sessionId: `session-${index}`,
  remoteAddress: `10.${index}.3.4`,
  environment: 'production',
  appName: 'bench',
  currentTimeMs: NOW_MS,
  properties: {
    region: pick(REGIONS),
    plan: pick(['free', 'pro']),
    version: `${below(3)}.${below(10)}.${below(10)}`,
    age: String(below(90)),
    email: `someone-${index}@example.com`,
  },
  random: () => 0.5,
  longestValue: 32,
}));

/** Operators in realistic proportions: mostly lists and text, some numbers, dates and versions, rarely patterns and addresses. */
function constraint(): Constraint {
  const kind = below(20);
  if (kind < 7)
    return { contextName: 'region', operator: kind < 5 ? 'IN' : 'NOT_IN', values: [pick(REGIONS), pick(REGIONS)] };
  if (kind < 9) return { contextName: 'userId', operator: 'IN', values: ids(50, below(300)) };
  if (kind < 12) return { contextName: 'email', operator: 'STR_ENDS_WITH', values: ['@other.org', '@example.com'] };
  if (kind < 14)
    return { contextName: 'age', operator: pick(['NUM_GT', 'NUM_LTE'] as const), value: String(below(90)) };
  if (kind < 16)
    return { contextName: 'currentTime', operator: 'DATE_AFTER', value: pick(['2026-01-01', '2027-01-01']) };
  if (kind < 18) return { contextName: 'version', operator: 'SEMVER_GTE', value: `${below(3)}.${below(10)}.0` };
  if (kind < 19) return { contextName: 'email', operator: 'REGEX', value: '^someone-\\d+@' };
  return { contextName: 'remoteAddress', operator: 'IN_CIDR', values: ['10.0.0.0/8', '192.168.0.0/16'] };
}

function strategy(more: Partial<Strategy> = {}): Strategy {
  return {
    id: 's',
    name: 'flexibleRollout',
    title: null,
    disabled: false,
    sortOrder: 0,
    parameters: { rollout: String(10 + below(90)), stickiness: 'default', groupId: `group-${below(50)}` },
    constraints: [],
    segments: [],
    variants: [],
    ...more,
  };
}

function flag(name: string, more: Partial<FlagDefinition> = {}): FlagDefinition {
  return {
    name,
    enabled: true,
    impressionData: false,
    strategies: [strategy()],
    variants: [],
    dependencies: [],
    ...more,
  };
}

function mixedStrategy(): Strategy {
  const name = pick([
    'flexibleRollout',
    'flexibleRollout',
    'flexibleRollout',
    'default',
    'userWithId',
    'remoteAddress',
  ]);
  const parameters: Record<string, Record<string, string>> = {
    default: {},
    userWithId: { userIds: ids(20, below(500)).join(',') },
    remoteAddress: { IPs: '192.168.0.0/16,10.1.0.0/16,127.0.0.1' },
  };
  return strategy({
    name,
    ...(parameters[name] === undefined ? {} : { parameters: parameters[name] }),
    constraints: times(below(4), constraint),
    segments: random.chance(0.25) ? [1 + below(10)] : [],
  });
}

function mixedFlag(index: number): FlagDefinition {
  const variants = ['a', 'b', 'c'].map((name) => ({ name, weight: 333, stickiness: 'default' }));
  return flag(`flag-${index}`, {
    enabled: random.chance(0.95),
    strategies: times(1 + below(3), mixedStrategy),
    variants: random.chance(0.2) ? variants : [],
    dependencies:
      index > 20 && random.chance(0.05) ? [{ feature: `flag-${below(20)}`, enabled: true, variants: [] }] : [],
  });
}

const segmentsOf = (count: number, constraintCount: number, make: () => Constraint): SegmentDefinition[] =>
  times(count, (index) => ({ id: index + 1, name: `segment-${index}`, constraints: times(constraintCount, make) }));

function scenarios(): Scenario[] {
  const holding: Constraint = { contextName: 'email', operator: 'STR_CONTAINS', values: ['@'] };
  const failing = strategy({ constraints: [{ contextName: 'region', operator: 'IN', values: ['nowhere'] }] });
  const many: Constraint = { contextName: 'userId', operator: 'IN', values: ids(10_000) };
  return [
    { name: 'mixed flags', flags: times(500, mixedFlag), segments: segmentsOf(10, 2, constraint) },
    {
      name: 'two constraints and a rollout',
      flags: times(100, (index) =>
        flag(`flag-${index}`, { strategies: [strategy({ constraints: [holding, constraint()] })] }),
      ),
      segments: [],
    },
    {
      name: 'a list of 10,000 ids',
      flags: [flag('flag-0', { strategies: [strategy({ constraints: [many] })] })],
      segments: [],
    },
    {
      name: '100 strategies, the last one on',
      flags: [flag('flag-0', { strategies: [...times(99, () => failing), strategy({ name: 'default' })] })],
      segments: [],
    },
    {
      name: '20 segments of 5 constraints',
      flags: [flag('flag-0', { strategies: [strategy({ segments: times(20, (index) => index + 1) })] })],
      segments: segmentsOf(20, 5, () => holding),
    },
  ];
}

/** The public SDK over these flags, without a network. */
function sdkWith({ flags, segments }: Scenario): Unleash {
  const flagsByName = new Map(flags.map((definition) => [definition.name, definition]));
  const segmentsById = new Map(segments.map((segment) => [segment.id, segment]));
  const repository = Object.assign(new EventEmitter(), {
    getToggle: (name: string) => flagsByName.get(name),
    getToggles: () => [...flagsByName.values()],
    getTogglesWithSegmentData: () => [],
    getSegment: (id: number) => segmentsById.get(id),
    start: async () => {},
    stop: () => {},
  });
  const unleash = new Unleash({
    appName: 'bench',
    url: 'http://127.0.0.1:9/',
    disableMetrics: true,
    disableAutoStart: true,
    skipInstanceCountWarning: true,
    repository: repository as unknown as NonNullable<ConstructorParameters<typeof Unleash>[0]['repository']>,
  });
  repository.emit('ready');
  return unleash;
}

/** One operation evaluates all flags for one context; the time is divided by the number of flags. */
function timeNs(operation: (index: number) => void, evaluations: number): number {
  let index = 0;
  const benchmark = new Benchmark('operation', () => operation(index++ % CONTEXT_COUNT), {
    maxTime: ROUND_MAX_S,
    minSamples: 5,
  });
  benchmark.run();
  return (benchmark.stats.mean * 1e9) / evaluations;
}

/** Rounds alternate, so that other work on the machine affects both sides. */
function compare(
  name: string,
  evaluations: number,
  ours: (index: number) => void,
  peer: (index: number) => void,
): Measured {
  const rounds = times(ROUNDS, () => [timeNs(ours, evaluations), timeNs(peer, evaluations)] as const);
  return costs(rounds, name, 'ns', (round) => round);
}

/** Collects all results, so that no evaluation can be optimised away. */
let sink = 0;

function measureScenario(scenario: Scenario): Measured[] {
  process.stderr.write(`measuring ${scenario.name}\n`);
  const segmentsById = new Map(scenario.segments.map((segment) => [segment.id, segment]));
  const compiled = scenario.flags.map((definition) => compileFlag(definition, (id) => segmentsById.get(id)));
  const byName = new Map<string, CompiledFlag>(compiled.map((item) => [item.name, item]));
  const lookup = (name: string) => byName.get(name);
  const sdk = sdkWith(scenario);
  const names = scenario.flags.map((definition) => definition.name);
  const sdkContexts = contexts.map(({ currentTimeMs, random: _, ...rest }) => ({
    ...rest,
    currentTime: new Date(currentTimeMs),
  }));
  const fast = (index: number) => {
    for (const item of compiled) if (isOn(item, contexts[index] as EvaluationContext, lookup)) sink++;
  };
  const variants = (index: number) => {
    for (const item of compiled)
      if (resolve(item, contexts[index] as EvaluationContext, lookup).variant.enabled) sink++;
  };
  const peer = (index: number) => {
    for (const name of names) if (sdk.isEnabled(name, sdkContexts[index] as never)) sink++;
  };
  const peerVariants = (index: number) => {
    for (const name of names) if (sdk.getVariant(name, sdkContexts[index] as never).enabled) sink++;
  };
  const count = names.length;
  assertSame(fast, peer);
  assertSame(variants, peerVariants);
  const measured = [
    compare(`${scenario.name}: isOn / isEnabled`, count, fast, peer),
    compare(`${scenario.name}: resolve / getVariant`, count, variants, peerVariants),
  ];
  if (scenario.name !== 'mixed flags') return measured;
  return [...measured, ...measureAnswers(compiled, lookup)];
}

/** Checks that both sides give the same answers: a faster wrong answer is no result. */
function assertSame(ours: (index: number) => void, peer: (index: number) => void): void {
  for (let index = 0; index < CONTEXT_COUNT; index++) {
    sink = 0;
    ours(index);
    const found = sink;
    sink = 0;
    peer(index);
    if (found !== sink) throw new Error(`context ${index}: ${found} here, ${sink} in the SDK`);
  }
}

/** Compares evaluating and writing a whole answer with serialising the finished answer: here the peer is `JSON.stringify`. */
function measureAnswers(
  compiled: readonly CompiledFlag[],
  lookup: (name: string) => CompiledFlag | undefined,
): Measured[] {
  const prefixes = new Map(
    compiled.map((item) => [item, `{"name":${JSON.stringify(item.name)},"enabled":true,"variant":`]),
  );
  const write = (index: number) => {
    let answer = '{"toggles":[';
    let separator = '';
    for (const item of compiled) {
      const { on, variantJson } = resolve(item, contexts[index] as EvaluationContext, lookup);
      if (!on) continue;
      answer += `${separator}${prefixes.get(item)}${variantJson},"impressionData":${item.impressionData}}`;
      separator = ',';
    }
    answer += ']}';
    sink += Buffer.byteLength(answer);
    return answer;
  };
  const answers = times(CONTEXT_COUNT, (index) => JSON.parse(write(index)) as unknown);
  return [
    compare('mixed flags: frontend answer / JSON.stringify of it', compiled.length, write, (index) => {
      sink += Buffer.byteLength(JSON.stringify(answers[index]));
    }),
  ];
}

/** The aim is ten times the speed of the SDK for the most common operation of services: asking whether a flag is on. */
const figureOf = (measured: Measured): Figure =>
  measured.name.startsWith('mixed flags: isOn') ? atLeast(10, measured) : aside(measured);

// Decoded from JSON, as a server has them: not the objects that this file built.
const measured = scenarios().flatMap((scenario) => measureScenario(JSON.parse(JSON.stringify(scenario)) as Scenario));
finish('One evaluation: ours against unleash-client, or the peer that is named', measured.map(figureOf));
