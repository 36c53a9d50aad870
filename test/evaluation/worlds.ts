import type { SegmentDefinition } from '../../src/evaluation/segment.ts';
import { type Constraint, OPERATORS, type Operator } from '../../src/model/constraint.ts';
import type { Variant } from '../../src/model/variant.ts';
import type { Random } from './random.ts';
import * as vocabulary from './vocabulary.ts';
import type { WireContext, WireFlag, WireStrategy } from './wire.ts';

/** Flags that may depend on each other, the segments that they use, and contexts to evaluate them with. */
export interface World {
  /**
   * In one world of four, hashed values have characters beyond ASCII, which the SDK hashes differently (see sdk.ts). Those worlds
   * have no caseInsensitive and no patterns. The other worlds have such characters only in fields that are not hashed.
   */
  readonly isUnicode: boolean;
  readonly flags: readonly WireFlag[];
  readonly segments: readonly SegmentDefinition[];
  readonly contexts: readonly WireContext[];
}

export function randomWorld(random: Random): World {
  return new WorldBuilder(random, random.chance(0.25)).world();
}

class WorldBuilder {
  private readonly random: Random;
  private readonly isUnicode: boolean;
  private readonly ids: readonly string[];
  private readonly groupIds: readonly string[];
  private readonly operators: readonly Operator[];

  constructor(random: Random, isUnicode: boolean) {
    this.random = random;
    this.isUnicode = isUnicode;
    this.ids = isUnicode ? vocabulary.UNICODE_IDS : vocabulary.ASCII_IDS;
    this.groupIds = isUnicode ? ['grp', 'annan-å', 'flag-1'] : ['grp', 'other', 'flag-1'];
    this.operators = isUnicode ? OPERATORS.filter((operator) => operator !== 'REGEX') : OPERATORS;
  }

  world(): World {
    const { random, isUnicode } = this;
    const segments = random.list(2, 6, (index) => this.segment(index + 1));
    const flags = random.list(15, 25, (index) => this.flag(index));
    return { isUnicode, flags, segments, contexts: random.list(30, 50, () => this.context()) };
  }

  private segment(id: number): SegmentDefinition {
    return { id, name: `segment-${id}`, constraints: this.random.list(0, 3, () => this.constraint()) };
  }

  private flag(index: number): WireFlag {
    const { random } = this;
    return {
      name: this.isUnicode && random.chance(0.2) ? `flagga-å-${index}` : `flag-${index}`,
      enabled: random.chance(0.9),
      impressionData: random.chance(0.2),
      strategies: random.chance(0.12) ? [] : random.list(1, 4, () => this.strategy()),
      variants: random.chance(0.5) ? this.variants(true) : [],
      // The first flags are parents. A few of them have parents themselves: then a dependency on them is not satisfied.
      dependencies: random.chance(index < 8 ? 0.05 : 0.25) ? random.list(1, 2, () => this.dependency()) : [],
    };
  }

  private dependency() {
    const { random } = this;
    const variants = random.chance(0.5) ? [] : random.list(1, 2, () => random.pick(['v0', 'v1', 'v2', 'disabled']));
    const feature = random.chance(0.05) ? 'missing-flag' : `flag-${random.below(10)}`;
    return random.chance(0.2) ? { feature } : { feature, enabled: random.chance(0.75), variants };
  }

  private strategy(): WireStrategy {
    const { random } = this;
    const { name, parameters } = this.activation();
    return {
      name,
      parameters,
      disabled: random.chance(0.12),
      constraints: random.chance(0.4) ? [] : random.list(1, 3, () => this.constraint()),
      segments: random.chance(0.75) ? [] : random.list(1, 2, () => 1 + random.below(7)),
      variants: random.chance(0.35) ? this.variants(false) : [],
    };
  }

  private activation(): { name: string; parameters: Record<string, string> } {
    const { random } = this;
    const groupId: Record<string, string> = random.chance(0.8) ? { groupId: random.pick(this.groupIds) } : {};
    const name = random.pick(vocabulary.STRATEGIES);
    return { name, parameters: { ...groupId, ...this.parameters(name) } };
  }

  private parameters(name: string): Record<string, string> {
    const percentage = this.random.pick(vocabulary.PERCENTAGES);
    switch (name) {
      case 'userWithId':
        return { userIds: this.joined(this.ids) };
      case 'remoteAddress':
        return { IPs: this.joined(vocabulary.RANGES) };
      case 'applicationHostname':
        return { hostNames: this.joined(['here', 'HERE', 'there', '']) };
      case 'flexibleRollout':
        return {
          ...this.maybe(0.95, 'rollout', () => percentage),
          ...this.maybe(0.9, 'stickiness', () => this.random.pick(vocabulary.STICKINESSES)),
        };
      default:
        return name.startsWith('gradualRollout') ? { percentage } : {};
    }
  }

  private joined(items: readonly string[]): string {
    return this.random.list(0, 4, () => this.random.pick(items)).join(this.random.pick([',', ', ', ' , ']));
  }

  private maybe<T>(probability: number, key: string, make: () => T): Record<string, T> {
    return this.random.chance(probability) ? { [key]: make() } : {};
  }

  private variants(withOverrides: boolean): Variant[] {
    const { random } = this;
    return random.list(1, 3, (index) => ({
      name: `v${index}`,
      weight: random.pick([0, 1, 333, 500, 1000]),
      weightType: 'variable' as const,
      ...this.maybe(0.9, 'stickiness', () => random.pick(vocabulary.STICKINESSES)),
      ...this.maybe(0.4, 'payload', () => ({ type: 'string' as const, value: `payload ${index}` })),
      ...(withOverrides ? this.maybe(0.3, 'overrides', () => random.list(1, 2, () => this.override())) : {}),
    }));
  }

  private override() {
    const { random } = this;
    return { contextName: random.pick(vocabulary.FIELDS), values: random.list(0, 3, () => this.word()) };
  }

  private word(): string {
    return this.random.pick(vocabulary.UNICODE_WORDS);
  }

  private constraint(): Constraint {
    const { random } = this;
    return {
      ...this.maybe(0.3, 'inverted', () => random.chance(0.8)),
      ...(this.isUnicode ? {} : this.maybe(0.3, 'caseInsensitive', () => random.chance(0.8))),
      ...this.operands(random.pick(this.operators)),
    };
  }

  private operands(operator: Operator): Constraint {
    const { random } = this;
    const contextName = random.pick(random.chance(0.04) ? vocabulary.INHERITED_FIELDS : vocabulary.FIELDS);
    const value = (items: readonly string[]) => this.maybe(0.96, 'value', () => random.pick(items));
    const values = (make: () => string) => this.maybe(0.97, 'values', () => random.list(0, 4, make));
    if (operator.startsWith('NUM_')) return { contextName: 'num', operator, ...value(vocabulary.NUMBERS) };
    if (operator.startsWith('SEMVER_')) return { contextName: 'version', operator, ...value(vocabulary.VERSIONS) };
    if (operator.startsWith('DATE_')) return { contextName: 'currentTime', operator, ...value(vocabulary.DATES) };
    if (operator === 'REGEX') return { contextName, operator, ...value(vocabulary.PATTERNS) };
    if (operator !== 'IN_CIDR') return { contextName, operator, ...values(() => this.word()) };
    return { contextName: 'remoteAddress', operator, ...values(() => random.pick(vocabulary.RANGES)) };
  }

  private context(): WireContext {
    const { random } = this;
    return {
      ...this.maybe(0.7, 'userId', () => random.pick(this.ids)),
      ...this.maybe(0.6, 'sessionId', () => random.pick(this.ids)),
      ...this.maybe(0.7, 'remoteAddress', () => random.pick(vocabulary.ADDRESSES)),
      ...this.maybe(0.8, 'environment', () => random.pick(['development', 'eu', 'miljö', ''])),
      ...this.maybe(0.8, 'appName', () => random.pick(['some-app', 'ÅÄÖ-appen', 'email', 'us'])),
      currentTime: random.pick(vocabulary.TIMES),
      ...this.maybe(0.9, 'properties', () => this.properties()),
    };
  }

  private properties(): Record<string, unknown> {
    const { random } = this;
    const properties: Record<string, unknown> = {};
    const put = (name: string, probability: number, make: () => unknown) => {
      // Not an assignment: that would set the prototype for `__proto__`.
      const value = { value: make(), enumerable: true, writable: true, configurable: true };
      if (random.chance(probability)) Object.defineProperty(properties, name, value);
    };
    put('region', 0.7, () => random.pick([...this.ids, ...vocabulary.WORDS]));
    put('num', 0.8, () => random.pick<unknown>(random.chance(0.3) ? [0, 1, -3, 2.5, 1e21, 0.1] : vocabulary.NUMBERS));
    put('version', 0.8, () => random.pick(vocabulary.VERSIONS));
    put('plan', 0.5, () => (random.chance(0.3) ? random.pick([true, false, null, undefined, 42, 10n]) : this.word()));
    for (const name of [...vocabulary.INHERITED_FIELDS, 'userId', 'random'])
      put(name, 0.03, () => random.pick(this.ids));
    return properties;
  }
}
