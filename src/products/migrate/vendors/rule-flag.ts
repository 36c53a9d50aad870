import type { Imported } from '../../../features/import-export/instance/input.ts';
import { ALL_CONTEXTS, both, type Condition, matchesAllContexts, not, UnsupportedFlag } from './conditions.ts';

type ImportedFeature = Imported<'features'>;
type ImportedStrategy = ImportedFeature['environments'][number]['strategies'][number];
type Variant = ImportedStrategy['variants'][number];

/** A variant and its weight. The weights of one branch have the same, arbitrary unit. */
export interface Share {
  readonly name: string;
  readonly weight: number;
  readonly payload?: NonNullable<Variant['payload']>;
}

/** One result of a flag, for contexts that match the condition and that no earlier branch matched. */
export interface Branch {
  readonly when: Condition;
  /** Whether the flag is on for these contexts. */
  readonly isOn: boolean;
  /** The percentage of these contexts that get this result. The other contexts continue with the next branch. Default: 100. */
  readonly share?: number;
  /** The context field whose hash selects the percentage and the variant. Default: the user. */
  readonly stickiness?: string;
  /** The variants for contexts for which the flag is on. Empty or undefined for no variant. */
  readonly variants?: readonly Share[];
}

/** A flag of another vendor. Its branches are evaluated in order. The flag is off for a context that no branch matches. */
export interface RuleFlag {
  readonly name: string;
  readonly description: string | null;
  readonly branches: readonly Branch[];
  /** Whether the flag is enabled in its environment. */
  readonly enabled: boolean;
}

/** @throws UnsupportedFlag */
export function strategiesOf({ name, branches }: Pick<RuleFlag, 'name' | 'branches'>): ImportedStrategy[] {
  const strategies: ImportedStrategy[] = [];
  // Strategies are evaluated in order. A context for which a branch is off must be excluded from all later strategies.
  let remaining: Condition = ALL_CONTEXTS;
  for (const [index, branch] of branches.entries()) {
    const { when, isOn, share = 100 } = branch;
    if (!(share >= 0 && share <= 100)) throw new UnsupportedFlag('a percentage of it is not a number from 0 to 100');
    if (isOn) {
      for (const constraints of both([when, remaining])) strategies.push(strategy(name, branch, constraints));
      if (share === 100 && matchesAllContexts(when)) break;
    } else if (share === 100) {
      remaining = both([remaining, not(when)]);
    } else {
      const next = branches[index + 1];
      const isLast =
        index + 2 === branches.length && next?.isOn && matchesAllContexts(next.when) && (next.share ?? 100) === 100;
      if (!(isLast && matchesAllContexts(when) && next))
        throw new UnsupportedFlag(
          'a rule of it is off for a percentage of its contexts, and later rules decide for the remaining contexts',
        );
      for (const constraints of remaining)
        strategies.push(strategy(name, { ...next, share: 100 - share }, constraints));
      break;
    }
  }
  return strategies;
}

function strategy(
  groupId: string,
  { share = 100, stickiness = 'default', variants = [] }: Branch,
  constraints: Condition[number],
): ImportedStrategy {
  return {
    id: '',
    name: 'flexibleRollout',
    title: null,
    disabled: false,
    parameters: { rollout: String(Math.round(share)), stickiness, groupId },
    constraints: [...constraints],
    segments: [],
    variants: inThousandths(variants).map(({ name, weight, payload }) => ({
      name,
      weight,
      weightType: 'variable' as const,
      stickiness,
      ...(payload && { payload }),
    })),
  };
}

const WEIGHT_SUM = 1_000;

/** Converts weights to thousandths, with the sum 1000. Weights are rounded down; those that lost most are raised by one until the sum is 1000. */
function inThousandths(shares: readonly Share[]): Share[] {
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  if (shares.length === 0 || total <= 0) return [];
  const exact = shares.map((share) => ({ share, weight: (share.weight / total) * WEIGHT_SUM }));
  const remainder = WEIGHT_SUM - exact.reduce((sum, { weight }) => sum + Math.floor(weight), 0);
  const order = [...exact].sort((one, other) => (other.weight % 1) - (one.weight % 1));
  const raisedShares = new Set(order.slice(0, remainder).map(({ share }) => share));
  return exact.map(({ share, weight }) => ({
    ...share,
    weight: Math.floor(weight) + (raisedShares.has(share) ? 1 : 0),
  }));
}

/** Whether a percentage must be rounded: to a whole percent for rollouts, to a tenth of a percent for variants. */
export function isRounded(branches: readonly Branch[]): boolean {
  return branches.some(({ share = 100, variants = [] }) => {
    const total = variants.reduce((sum, { weight }) => sum + weight, 0);
    return !Number.isInteger(share) || variants.some(({ weight }) => !isNearInteger((weight / total) * WEIGHT_SUM));
  });
}

function isNearInteger(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-6;
}

/** The value of a variant as a payload. @throws UnsupportedFlag */
export function payloadOf(value: unknown): NonNullable<Share['payload']> {
  if (typeof value === 'string') return { type: 'string', value };
  if (typeof value === 'number') return { type: 'number', value: String(value) };
  if (typeof value === 'object' && value !== null) return { type: 'json', value: JSON.stringify(value) };
  throw new UnsupportedFlag(`one of its values is ${JSON.stringify(value) ?? 'missing'}, but not all of them`);
}

/**
 * The values of a flag, by the names of its variants. Either all values are booleans, which become on and off here, or none is a boolean.
 * @throws UnsupportedFlag for a mixture, and for unknown names
 */
export class VariantValues {
  readonly isBoolean: boolean;
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = new Map(Object.entries(values));
    const all = [...this.#values.values()];
    this.isBoolean = all.length > 0 && all.every((value) => typeof value === 'boolean');
  }

  /** A branch that gives this variant to every context that matches the condition. */
  branch(when: Condition, name: string): Branch {
    const value = this.#valueOf(name);
    if (this.isBoolean) return { when, isOn: value === true };
    return { when, isOn: true, variants: [{ name, weight: 1, payload: payloadOf(value) }] };
  }

  /** Branches that split the contexts that match the condition among the variants by weight. */
  split(when: Condition, shares: readonly (readonly [string, number])[], stickiness?: string): Branch[] {
    const all = shares.filter(([, weight]) => weight > 0);
    const total = all.reduce((sum, [, weight]) => sum + weight, 0);
    if (total <= 0 || !Number.isFinite(total)) throw new UnsupportedFlag('its percentages contain no variant');
    const stickinessPart = stickiness === undefined ? {} : { stickiness };
    if (this.isBoolean) {
      const on = all.filter(([name]) => this.#valueOf(name) === true).reduce((sum, [, weight]) => sum + weight, 0);
      const share = (on / total) * 100;
      const isOff: Branch = { when, isOn: false };
      return share === 0 ? [isOff] : [{ when, isOn: true, share, ...stickinessPart }, isOff];
    }
    const variants = all.map(([name, weight]) => ({ name, weight, payload: payloadOf(this.#valueOf(name)) }));
    return [{ when, isOn: true, variants, ...stickinessPart }];
  }

  #valueOf(name: string): unknown {
    if (!this.#values.has(name))
      throw new UnsupportedFlag(`a rule of it returns ${JSON.stringify(name)}, a variant that it does not have`);
    return this.#values.get(name);
  }
}
