import { createHash } from 'node:crypto';
import type { Steps } from '../../base/yield-control.ts';
import { type Constraint, LIST_OPERATORS } from '../../model/constraint.ts';
import type { FeatureEnvironment } from '../../model/feature.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { StrategyVariant, Variant } from '../../model/variant.ts';

/** 72 bits: two different settings of an instance never have the same fingerprint, unless somebody searches for such settings. */
const FINGERPRINT_CHARS = 12;

/** Text that is hashed in one step. */
const STEP_CHARS = 64_000;

/**
 * A text that is equal for equal settings of a flag in an environment, on every replica and in every instance that has the same segment ids: its
 * strategies and its variants. Not covered: whether the flag is on, which the index shows beside it, and what differs between equal settings, such as ids
 * and sort orders. "" if there are no strategies and no variants.
 */
export function* fingerprintOf({ strategies, variants }: FeatureEnvironment): Steps<string> {
  if (strategies.length === 0 && variants.length === 0) return '';
  const hash = createHash('sha256');
  let text = '';
  for (const part of partsOf(strategies, variants)) {
    // JSON contains no line break, so the parts cannot be divided in another way.
    text += `${JSON.stringify(part)}\n`;
    if (text.length < STEP_CHARS) continue;
    hash.update(text);
    text = '';
    yield;
  }
  return hash.update(text).digest('base64url').slice(0, FINGERPRINT_CHARS);
}

/** The settings as lists of values, each of them small enough for one step. Defaults are written out. */
function* partsOf(strategies: readonly Strategy[], variants: readonly Variant[]): Generator<unknown> {
  for (const strategy of strategies) {
    const { name, title, disabled, parameters, segments } = strategy;
    const sortedParameters = Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1));
    const segmentIds = [...new Set(segments)].sort((one, other) => one - other);
    yield ['strategy', name, title || null, disabled, sortedParameters, segmentIds];
    for (const constraint of strategy.constraints) yield constraintPart(constraint);
    for (const variant of strategy.variants) yield variantPart(variant);
  }
  yield ['variants of the environment'];
  for (const variant of variants) yield variantPart(variant);
}

function constraintPart({ contextName, operator, caseInsensitive = false, inverted = false, ...rest }: Constraint) {
  const compared = LIST_OPERATORS.has(operator) ? (rest.values ?? []) : (rest.value ?? '');
  return ['constraint', contextName, operator, caseInsensitive, inverted, compared];
}

function variantPart({ name, weight, weightType, stickiness, payload, ...rest }: Variant | StrategyVariant) {
  const overrides = 'overrides' in rest ? (rest.overrides ?? []) : [];
  return [
    'variant',
    name,
    weight,
    weightType ?? 'variable',
    stickiness ?? 'default',
    payload ? [payload.type, payload.value] : null,
    overrides.map(({ contextName, values }) => [contextName, values]),
  ];
}
