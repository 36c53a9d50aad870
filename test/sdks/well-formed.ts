import type { SegmentDefinition } from '../../src/evaluation/segment.ts';
import type { Constraint } from '../../src/model/constraint.ts';
import type { StrategyVariant, Variant } from '../../src/model/variant.ts';
import type { WireContext, WireFlag, WireStrategy } from '../evaluation/wire.ts';
import type { World } from '../evaluation/worlds.ts';

/**
 * The world without values that the shared core and the Node SDK read differently (docs/reach/sdk-differences.md, "Burgee and the shared
 * core"). No well-behaved caller stores or sends such values. All operators stay, and all kinds of strategies except two.
 */
export function wellFormed({ flags, segments, contexts, isUnicode }: World): World {
  const ids = new Set(segments.map(({ id }) => id));
  const plain = flags.map((flag) => withPlainStrategies(flag, ids));
  const varied = new Set(plain.filter(({ variants }) => variants?.length).map(({ name }) => name));
  return {
    isUnicode,
    segments: segments.map(
      (segment): SegmentDefinition => ({ ...segment, constraints: plainOnes(segment.constraints) }),
    ),
    flags: plain.map((flag) => ({ ...flag, dependencies: dependenciesOf(flag, varied) })),
    contexts: contexts.map(plainContext),
  };
}

/** SDKs get no disabled strategies. A flag with only disabled strategies is sent as off. */
function withPlainStrategies(
  { strategies = [], variants, ...flag }: WireFlag,
  segments: ReadonlySet<number>,
): WireFlag {
  const enabled = strategies.filter(({ disabled }) => !disabled);
  return {
    ...flag,
    enabled: flag.enabled && (strategies.length === 0 || enabled.length > 0),
    variants: thousandths(variants ?? []),
    strategies: enabled.filter(isPlainStrategy).map((strategy) => ({
      ...strategy,
      constraints: plainOnes(strategy.constraints ?? []),
      segments: (strategy.segments ?? []).filter((id) => segments.has(id)),
      variants: thousandths((strategy.variants ?? []) as StrategyVariant[]).map((variant) => ({
        ...variant,
        stickiness: strategy.parameters?.stickiness ?? 'default',
      })),
    })),
  };
}

/** Keeps variants only in dependencies on parents that are expected on and have variants. */
function dependenciesOf({ dependencies = [] }: WireFlag, varied: ReadonlySet<string>): WireFlag['dependencies'] {
  return dependencies.map(({ variants, ...dependency }) => {
    const isAsked = dependency.enabled !== false && varied.has(dependency.feature);
    return variants === undefined ? dependency : { ...dependency, variants: isAsked ? variants : [] };
  });
}

/** Weights as in the admin API: their sum is a thousand. */
function thousandths<V extends Variant | StrategyVariant>(variants: readonly V[]): V[] {
  if (!variants.some(({ weight }) => weight > 0)) return [];
  let left = 1_000;
  return variants.map((variant, index) => {
    const weight = index === variants.length - 1 ? left : Math.min(left, variant.weight);
    left -= weight;
    return { ...variant, weight };
  });
}

function isPlainStrategy({ name, parameters = {} }: WireStrategy): boolean {
  const { rollout, percentage, groupId, userIds = '' } = parameters;
  // The first depends on the host that evaluates, the second compares addresses as text.
  if (name === 'applicationHostname' || name === 'remoteAddress') return false;
  if (name === 'flexibleRollout' && !isPercentage(rollout)) return false;
  if (name.startsWith('gradualRollout') && (!isPercentage(percentage) || !groupId)) return false;
  return userIds === '' || (userIds.trim() === userIds && userIds.split(',').every((id) => id.trim() !== ''));
}

function isPercentage(text: string | undefined): boolean {
  return text !== undefined && /^(100|\d{1,2})$/.test(text);
}

function plainOnes(constraints: readonly Constraint[]): Constraint[] {
  return constraints.filter(isPlainConstraint);
}

function isPlainConstraint({ operator, value, values, inverted }: Constraint): boolean {
  if (operator.startsWith('NUM_')) return value !== undefined && isNumber(value);
  if (operator.startsWith('SEMVER_')) return value !== undefined && isVersion(value);
  if (operator.startsWith('DATE_')) return value !== undefined && /^\d{4}-\d\d-\d\dT/.test(value);
  // A broken pattern is false there, inverted or not.
  if (operator === 'REGEX') return value !== undefined && (inverted !== true || isPattern(value));
  return values !== undefined && values.length > 0 && values.every(isPlainText);
}

/** Text as SDKs of typed languages send it, without fields that are empty or have spaces at their ends. */
function plainContext({ properties = {}, ...fields }: WireContext): WireContext {
  const texts = Object.entries(properties).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, String(value)] as const],
  );
  const isPlain = ([name, text]: readonly [string, unknown]) =>
    typeof text !== 'string' || (isPlainText(text) && (FORMS.get(name)?.(text) ?? true));
  const plain: Record<string, unknown> = Object.fromEntries(Object.entries(fields).filter(isPlain));
  // The Node SDK uses the address as variant stickiness; the shared core draws at random.
  if (plain.userId === undefined && plain.sessionId === undefined) delete plain.remoteAddress;
  // Strategies of the shared core read standard fields from the properties.
  const kept = texts.filter((entry) => isPlain(entry) && entry[0] !== 'userId');
  return { ...plain, properties: Object.fromEntries(kept) };
}

const FORMS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['num', isNumber],
  ['version', isVersion],
]);

function isPlainText(text: string): boolean {
  return text !== '' && text.trim() === text;
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text).source !== '';
  } catch {
    return false;
  }
}

function isNumber(text: string): boolean {
  return /^-?\d+(\.\d+)?(e\d+)?$/.test(text) && Math.abs(Number(text)) < 2 ** 53;
}

function isVersion(text: string): boolean {
  return /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?(\+[0-9A-Za-z.]+)?$/.test(
    text,
  );
}
