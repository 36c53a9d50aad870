import { EventEmitter } from 'node:events';
import { Unleash } from 'unleash-client';
import type { SegmentDefinition } from '../../src/evaluation/segment.ts';
import type { Constraint } from '../../src/model/constraint.ts';
import type { WireContext, WireFlag, WireStrategy } from './wire.ts';

/** The public Node SDK, called in the same process, without a network. */
export interface Sdk {
  isEnabled(flag: string, context: WireContext): boolean;
  getVariant(flag: string, context: WireContext): Readonly<Record<string, unknown>>;
}

type Repository = NonNullable<ConstructorParameters<typeof Unleash>[0]['repository']>;

/** An SDK with exactly these definitions, as after an answer of a server. */
export function sdkWith(
  flags: readonly WireFlag[],
  segments: readonly SegmentDefinition[],
  options: { readonly keepsPropertyNames?: boolean } = {},
): Sdk {
  const flagsByName = new Map(flags.map((flag) => [flag.name, flag]));
  const segmentsById = new Map(segments.map((segment) => [segment.id, segment]));
  const repository = Object.assign(new EventEmitter(), {
    getToggle: (name: string) => flagsByName.get(name),
    getToggles: () => [...flagsByName.values()],
    getTogglesWithSegmentData: () => [],
    getSegment: (id: number) => segmentsById.get(id),
    start: async () => {},
    stop: () => {},
  }) as unknown as Repository;
  const unleash = new Unleash({
    appName: 'oracle',
    url: 'http://127.0.0.1:9/',
    repository,
    disableMetrics: true,
    disableAutoStart: true,
    skipInstanceCountWarning: true,
  });
  repository.emit('ready');
  const propertyName = options.keepsPropertyNames === true ? (name: string) => name : renamedField;
  return {
    isEnabled: (flag, context) => unleash.isEnabled(flag, sdkContext(context, propertyName)),
    getVariant: (flag, context) => unleash.getVariant(flag, sdkContext(context, propertyName)) as never,
  };
}

/**
 * The SDK fills in its own environment and application name unless they are undefined explicitly. Properties that the
 * rewrites below rename are renamed here too.
 */
function sdkContext({ currentTime, properties, ...context }: WireContext, propertyName: (name: string) => string) {
  const renamed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(properties ?? {})) {
    renamed[propertyName(name)] = value;
  }
  return {
    appName: undefined,
    environment: undefined,
    ...context,
    ...(properties === undefined ? {} : { properties: renamed }),
    ...(currentTime === undefined ? {} : { currentTime: new Date(currentTime) }),
  } as never;
}

/**
 * The SDK hashes the low byte of each UTF-16 unit, like a server here; a relay hashes UTF-8. The result has the UTF-8 bytes of the
 * text as its units: the SDK hashes it as a relay hashes the original. Equality, prefixes, suffixes and substrings stay the same.
 * Rewrite only a whole world, with its contexts.
 */
export function asByteText<T>(value: T): T {
  if (typeof value === 'string') return Buffer.from(value, 'utf8').toString('latin1') as T;
  if (Array.isArray(value)) return value.map(asByteText) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asByteText(item)])) as T;
}

function renamedField(name: string): string {
  return name in Object.prototype || name === 'random' ? `renamed for the SDK: ${name}` : name;
}

/**
 * Where the SDK and our rule differ (docs/decisions/evaluation-sdk-differences.md), a definition is rewritten for the SDK: the
 * rewritten one has the same meaning there as the original has here. Each name has a test that shows the difference.
 */
type Difference =
  | 'group of a rollout is missing'
  | 'version in a rule begins with v'
  | 'inverted pattern is broken'
  | 'field is named like an inherited property'
  | 'list of values is missing';

/** How often each difference occurred. */
export type DifferenceCounts = Map<Difference, number>;

/** The flag as a server sends it: without disabled strategies, and off when all are disabled. Then the rewrites. */
export function flagForSdk(flag: WireFlag, counts: DifferenceCounts): WireFlag {
  const all = flag.strategies ?? [];
  const strategies = all.filter((strategy) => !strategy.disabled);
  return {
    ...flag,
    enabled: flag.enabled && (all.length === 0 || strategies.length > 0),
    strategies: strategies.map((strategy) => strategyForSdk(strategy, flag.name, counts)),
  };
}

function strategyForSdk(strategy: WireStrategy, flagName: string, counts: DifferenceCounts): WireStrategy {
  const parameters: Record<string, string> = { ...strategy.parameters };
  if (!parameters.groupId && strategy.name === 'flexibleRollout') {
    count(counts, 'group of a rollout is missing');
    parameters.groupId = flagName;
  }
  const constraints = (strategy.constraints ?? []).map((constraint) => constraintForSdk(constraint, counts));
  return { ...strategy, parameters, constraints };
}

export function constraintForSdk(original: Constraint, counts: DifferenceCounts): Constraint {
  let constraint = original;
  const { contextName, operator, value } = constraint;
  if (contextName in Object.prototype) {
    count(counts, 'field is named like an inherited property');
    constraint = { ...constraint, contextName: renamedField(contextName) };
  }
  if (operator.startsWith('SEMVER_') && value?.startsWith('v')) {
    count(counts, 'version in a rule begins with v');
    constraint = { ...constraint, value: 'no version' };
  }
  if (operator === 'REGEX' && constraint.inverted && isBroken(value)) {
    count(counts, 'inverted pattern is broken');
    constraint = { ...constraint, inverted: false };
  }
  if (LISTS.has(operator) && constraint.values === undefined) {
    count(counts, 'list of values is missing');
    constraint = { ...constraint, values: [] };
  }
  return constraint;
}

const LISTS = new Set<string>(['IN', 'NOT_IN', 'STR_STARTS_WITH', 'STR_ENDS_WITH', 'STR_CONTAINS', 'IN_CIDR']);

/** The generated patterns that RE2 refuses. */
function isBroken(pattern: string | undefined): boolean {
  return pattern === undefined || ['(', '(?=x)', '(a)\\1'].includes(pattern);
}

function count(counts: DifferenceCounts, difference: Difference): void {
  counts.set(difference, (counts.get(difference) ?? 0) + 1);
}
