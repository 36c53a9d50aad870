import type { Constraint, Operator } from '../../../model/constraint.ts';
import type { StrategyParameters } from '../../../model/strategy.ts';
import { VARIANT_WEIGHT_TOTAL } from '../../../model/variant.ts';
import type { Dependency, FlagStrategy, FlagVariant, Segment } from './flag-types.ts';

/** Longer lists of values are cut: the number of all values follows. */
const VALUES_SHOWN = 10;
/** Longer payloads of variants are cut. */
const PAYLOAD_SHOWN = 60;

/** A strategy as a sentence: for which contexts it is on. `segments` has the segments of the flag that the caller may see. */
export function strategySentence(strategy: FlagStrategy, segments: ReadonlyMap<number, Segment>): string {
  const { title, disabled, constraints, segments: ids = [] } = strategy;
  const conditions = [
    ...constraints.map(constraintText),
    ...ids.map((id) => `the context is in the segment ${segmentText(id, segments)}`),
  ];
  const condition = conditions.length === 0 ? '' : ` if ${conditions.join(' and ')}`;
  return `${disabled ? 'disabled: ' : ''}${title ? `"${title}": ` : ''}${audience(strategy)}${condition}`;
}

function segmentText(id: number, segments: ReadonlyMap<number, Segment>): string {
  const segment = segments.get(id);
  if (segment === undefined) return `#${id}`;
  const constraints = segment.constraints.map(constraintText).join(' and ');
  return `${segment.name} (${constraints === '' ? 'everyone' : constraints})`;
}

type Audience = (parameters: StrategyParameters, flagName: string | undefined) => string;

/** The audience of each built-in strategy. */
const AUDIENCES: Readonly<Record<string, Audience>> = {
  default: () => 'everyone',
  flexibleRollout: ({ rollout = '', stickiness = 'default', groupId = '' }, flagName) => {
    if (rollout === '100') return 'everyone';
    const group = groupId === '' || groupId === flagName ? '' : ` in the group ${groupId}`;
    return `${rollout}% of contexts ${stickinessText(stickiness)}${group}`;
  },
  gradualRolloutUserId: ({ percentage = '' }) => `${percentage}% of contexts by userId`,
  gradualRolloutSessionId: ({ percentage = '' }) => `${percentage}% of contexts by sessionId`,
  gradualRolloutRandom: ({ percentage = '' }) => `${percentage}% of contexts at random`,
  userWithId: ({ userIds = '' }) => `userId is ${oneOf(split(userIds))}`,
  remoteAddress: ({ IPs = '' }) => `remoteAddress is ${oneOf(split(IPs))}`,
  applicationHostname: ({ hostNames = '' }) => `the application's host is ${oneOf(split(hostNames))}`,
};

function audience({ name, parameters, featureName }: FlagStrategy): string {
  if (Object.hasOwn(AUDIENCES, name)) return (AUDIENCES[name] as Audience)(parameters, featureName);
  const settings = Object.entries(parameters).map(([key, value]) => `${key} ${value}`);
  return `the custom strategy ${name}${settings.length === 0 ? '' : ` (${settings.join(', ')})`}`;
}

function stickinessText(stickiness: string): string {
  if (stickiness === 'random') return 'at random';
  return `by ${stickiness === 'default' ? 'userId or sessionId' : stickiness}`;
}

const split = (text: string) => text.split(',').flatMap((value) => value.trim() || []);

type Phrase = (field: string, operand: string, isList: boolean) => string;

const negated =
  (phrase: Phrase): Phrase =>
  (field, operand, isList) =>
    `not (${phrase(field, operand, isList)})`;
const compared =
  (sign: string, kind = ''): Phrase =>
  (field, operand, isList) =>
    `${field} ${sign} ${isList ? 'one of ' : ''}${kind}${operand}`;
const isIn: Phrase = (field, operand, isList) => `${field} is ${isList ? 'one of ' : ''}${operand}`;
const isNotIn: Phrase = (field, operand, isList) => `${field} is ${isList ? 'none of' : 'not'} ${operand}`;

/** How each operator is written, and its inversion. */
const PHRASES: { readonly [O in Operator]: Phrase | readonly [Phrase, Phrase] } = {
  IN: [isIn, isNotIn],
  NOT_IN: [isNotIn, isIn],
  STR_ENDS_WITH: [compared('ends with'), compared('does not end with')],
  STR_STARTS_WITH: [compared('starts with'), compared('does not start with')],
  STR_CONTAINS: [compared('contains'), compared('does not contain')],
  NUM_EQ: compared('='),
  NUM_GT: compared('>'),
  NUM_GTE: compared('>='),
  NUM_LT: compared('<'),
  NUM_LTE: compared('<='),
  DATE_AFTER: compared('is after'),
  DATE_BEFORE: compared('is before'),
  SEMVER_EQ: compared('=', 'version '),
  SEMVER_GT: compared('>', 'version '),
  SEMVER_LT: compared('<', 'version '),
  SEMVER_GTE: compared('>=', 'version '),
  SEMVER_LTE: compared('<=', 'version '),
  REGEX: compared('matches'),
  IN_CIDR: [compared('is in the network'), compared('is not in the network')],
};

function constraintText({ contextName, operator, inverted, caseInsensitive, value, values }: Constraint): string {
  const entry = Object.hasOwn(PHRASES, operator) ? PHRASES[operator] : compared(operator);
  const [phrase, inversion] = typeof entry === 'function' ? [entry, negated(entry)] : entry;
  // The API has an empty list beside a single value.
  const isList = values !== undefined && (value === undefined || value === '' || values.length > 0);
  const operand = isList ? listText(values) : (value ?? '');
  const text = (inverted ? inversion : phrase)(contextName, operand, isList && values.length !== 1);
  return caseInsensitive ? `${text} (upper or lower case)` : text;
}

function listText(values: readonly string[]): string {
  if (values.length === 0) return 'an empty list';
  const shown = values
    .slice(0, VALUES_SHOWN)
    .map((value) => (/^[^\s,"]+$/.test(value) ? value : JSON.stringify(value)));
  return values.length > VALUES_SHOWN ? `${shown.join(', ')}, … (${values.length} values)` : shown.join(', ');
}

const oneOf = (values: readonly string[]) => `${values.length === 1 ? '' : 'one of '}${listText(values)}`;

/** The variants with their parts. */
export function variantsSentence(variants: readonly FlagVariant[]): string {
  return variants.map(variantText).join(', ');
}

function variantText({ name, weight, payload, overrides = [] }: FlagVariant): string {
  const fixed = overrides.map(({ contextName, values }) => `always if ${contextName} is ${oneOf(values)}`);
  const details = [...(payload ? [payloadText(payload)] : []), ...fixed];
  const part = `${name} ${(weight * 100) / VARIANT_WEIGHT_TOTAL}%`;
  return details.length === 0 ? part : `${part} (${details.join('; ')})`;
}

function payloadText({ type, value }: NonNullable<FlagVariant['payload']>): string {
  return `${type} ${value.length > PAYLOAD_SHOWN ? `${value.slice(0, PAYLOAD_SHOWN)}…` : value}`;
}

/** What the flag needs of a parent. */
export function dependencyText({ feature, enabled = true, variants = [] }: Dependency): string {
  if (!enabled) return `${feature} is off`;
  return variants.length === 0 ? `${feature} is on` : `the variant of ${feature} is ${oneOf(variants)}`;
}
