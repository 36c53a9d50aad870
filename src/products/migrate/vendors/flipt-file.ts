import { integer, isTrue, type Loose, list, object, text, textOrNull, texts } from '../loose-json.ts';
import {
  ALL_CONTEXTS,
  both,
  type Comparison,
  type Condition,
  comparesWithNumber,
  contextFieldOf,
  either,
  isOneOf,
  NO_CONTEXT,
  not,
  one,
  UnsupportedFlag,
} from './conditions.ts';
import { type Branch, payloadOf, type RuleFlag, type Share } from './rule-flag.ts';
import type { VendorFlags } from './vendor-flags.ts';

type Segments = ReadonlyMap<string, Loose>;

export function isFliptFile(file: Loose): boolean {
  const hasKey = (each: Loose) => text(each.key) !== '';
  const isEmpty = list(file.flags).length + list(file.segments).length === 0;
  return !isEmpty && [...list(file.flags), ...list(file.segments)].every(hasKey);
}

/** Reads the flags of a Flipt file. A namespace becomes a project. Segments become constraints of the strategies. */
export function readFliptFile(file: Loose, into: VendorFlags): void {
  const segments = new Map(list(file.segments).map((segment) => [text(segment.key), segment]));
  const namespace = text(file.namespace) || text(object(file.namespace).key);
  const project = namespace === '' || namespace === 'default' ? undefined : namespace;
  for (const sent of list(file.flags)) {
    const name = text(sent.key);
    const isBoolean = text(sent.type) === 'BOOLEAN_FLAG_TYPE';
    into.add(name, () => (isBoolean ? booleanFlag(sent, segments, into) : variantFlag(sent, segments, into)), project);
  }
}

/** Converts a boolean flag. Its rollouts are evaluated in order. A context that no rollout matches gets the flag's default. */
function booleanFlag(sent: Loose, segments: Segments, into: VendorFlags): RuleFlag {
  const name = text(sent.key);
  const branches = list(sent.rollouts).map((rollout): Branch => {
    const { segment, threshold } = rollout;
    if (threshold !== undefined) {
      into.notePercentages(name);
      const { percentage, value } = object(threshold);
      return { when: ALL_CONTEXTS, isOn: isTrue(value), share: Number(percentage ?? 0) };
    }
    if (segment === undefined) throw new UnsupportedFlag('a rollout of it has neither a segment nor a percentage');
    return { when: contextsOf(segment, object(segment).operator, segments), isOn: isTrue(object(segment).value) };
  });
  const last: Branch = { when: ALL_CONTEXTS, isOn: isTrue(sent.enabled) };
  return { name, description: descriptionOf(sent), branches: [...branches.filter(mayApply), last], enabled: true };
}

function mayApply({ share }: Branch): boolean {
  return share !== 0;
}

/** Converts a variant flag. The first rule that matches decides. If no rule matches or the flag is off, the result is the default variant. */
function variantFlag(sent: Loose, segments: Segments, into: VendorFlags): RuleFlag {
  const name = text(sent.key);
  const description = descriptionOf(sent);
  const variants = new Map(list(sent.variants).map((variant) => [text(variant.key), variant]));
  const shareOf = (key: string, weight: number): Share => {
    const variant = variants.get(key);
    if (variant === undefined)
      throw new UnsupportedFlag(`a rule of it returns ${JSON.stringify(key)}, a variant that it does not have`);
    return { name: key, weight, payload: payloadOf(variant.attachment ?? key) };
  };
  const defaultVariant = [...variants.values()].find((variant) => isTrue(variant.default));
  const defaultBranch = (when: Condition): Branch =>
    defaultVariant ? { when, isOn: true, variants: [shareOf(text(defaultVariant.key), 1)] } : { when, isOn: false };
  const isOn = isTrue(sent.enabled);
  if (!isOn && defaultVariant) {
    into.note(
      name,
      'it is off in the file and returns its default variant: in Burgee it is on, without rules, and returns this variant',
    );
    return { name, description, branches: [defaultBranch(ALL_CONTEXTS)], enabled: true };
  }
  const rules = [...list(sent.rules)].sort((left, right) => integer(left.rank, 0) - integer(right.rank, 0));
  const branches = rules.flatMap((rule): Branch[] => {
    const when = contextsOf(rule.segment ?? rule.segments, rule.operator ?? rule.segmentOperator, segments);
    const distributions = list(rule.distributions)
      .map(({ variant, rollout }) => ({ key: text(variant), weight: Number(rollout ?? 0) }))
      .filter(({ weight }) => weight > 0);
    if (distributions.length === 0) return [{ when, isOn: true }];
    const total = distributions.reduce((sum, { weight }) => sum + weight, 0);
    if (distributions.length > 1 || total < 100) into.notePercentages(name);
    const shares = distributions.map(({ key, weight }) => shareOf(key, weight));
    const share = total < 100 ? { share: total } : {};
    // Later rules do not apply to a context that matches this rule but is outside its percentages.
    return [{ when, isOn: true, ...share, variants: shares }, ...(total < 100 ? [defaultBranch(when)] : [])];
  });
  return { name, description, branches: [...branches, defaultBranch(ALL_CONTEXTS)], enabled: isOn };
}

function descriptionOf({ description, name }: Loose): string | null {
  return textOrNull(description) || textOrNull(name);
}

/** The contexts of one segment, or of several segments. The operator decides whether all segments must match or any of them. */
function contextsOf(sent: unknown, operator: unknown, segments: Segments): Condition {
  const selection = object(sent);
  const keys = typeof sent === 'string' ? [sent] : Array.isArray(sent) ? texts(sent) : texts(selection.keys);
  if (text(selection.key) !== '') keys.push(text(selection.key));
  if (keys.length === 0) throw new UnsupportedFlag('a rule of it has no segment');
  const conditions = keys.map((key) => {
    const segment = segments.get(key);
    if (segment === undefined) throw new UnsupportedFlag(`its segment ${key} is not in the file`);
    return segmentCondition(segment);
  });
  const isAll = (text(operator) || text(selection.operator)) === 'AND_SEGMENT_OPERATOR';
  return isAll ? both(conditions) : either(conditions);
}

function segmentCondition({ match_type, matchType, constraints }: Loose): Condition {
  const conditions = list(constraints).map(constraintCondition);
  if (conditions.length === 0) return ALL_CONTEXTS;
  return (text(match_type) || text(matchType)) === 'ANY_MATCH_TYPE' ? either(conditions) : both(conditions);
}

/** The condition that the field is not empty. Flipt treats an empty value as missing. */
const isNotEmpty = (contextName: string) => one({ contextName, operator: 'REGEX', value: '(?s).' });
/** The condition of the operator "present". A value that consists only of spaces counts as missing. */
const isNotBlank = (contextName: string) => one({ contextName, operator: 'REGEX', value: '\\S' });

function constraintCondition(sent: Loose): Condition {
  const type = text(sent.type);
  const operator = text(sent.operator);
  const value = text(sent.value);
  const field = contextFieldOf(type === 'ENTITY_ID_COMPARISON_TYPE' ? 'userId' : text(sent.property));
  if (operator === 'present' || operator === 'notempty') return isNotBlank(field);
  if (operator === 'notpresent' || operator === 'empty') return not(isNotBlank(field));
  if (operator === 'isoneof' || operator === 'isnotoneof') return listCondition(field, operator, sent);
  if (type === 'NUMBER_COMPARISON_TYPE') return numberCondition(field, operator, value);
  if (type === 'BOOLEAN_COMPARISON_TYPE') return booleanCondition(field, operator);
  if (type === 'DATETIME_COMPARISON_TYPE')
    throw new UnsupportedFlag(`it compares the time in ${field}, and SDKs compare only the current time`);
  return textCondition(field, operator, value);
}

function textCondition(field: string, operator: string, value: string): Condition {
  const textConstraint = (kind: 'STR_STARTS_WITH' | 'STR_ENDS_WITH' | 'STR_CONTAINS') =>
    one({ contextName: field, operator: kind, values: [value] });
  switch (operator) {
    case 'eq':
      return value === '' ? NO_CONTEXT : isOneOf(field, [value]);
    case 'neq':
      return both([not(isOneOf(field, [value])), isNotEmpty(field)]);
    case 'prefix':
      return textConstraint('STR_STARTS_WITH');
    case 'suffix':
      return textConstraint('STR_ENDS_WITH');
    case 'contains':
      return textConstraint('STR_CONTAINS');
    case 'notcontains':
      return both([not(textConstraint('STR_CONTAINS')), isNotEmpty(field)]);
    default:
      throw new UnsupportedFlag(`a segment of it uses ${JSON.stringify(operator)} with ${field}`);
  }
}

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  eq: '=',
  neq: '!=',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
};

function numberCondition(field: string, operator: string, value: string): Condition {
  const comparison = Object.hasOwn(COMPARISONS, operator) ? COMPARISONS[operator] : undefined;
  if (comparison === undefined || value.trim() === '' || !Number.isFinite(Number(value)))
    throw new UnsupportedFlag(
      `a segment of it uses ${JSON.stringify(operator)} ${JSON.stringify(value)} with the number ${field}`,
    );
  return comparesWithNumber(field, comparison, Number(value));
}

/** All words that Flipt accepts as true or false. */
const BOOLEAN_TEXTS = {
  true: ['1', 't', 'T', 'TRUE', 'true', 'True'],
  false: ['0', 'f', 'F', 'FALSE', 'false', 'False'],
};

function booleanCondition(field: string, operator: string): Condition {
  if (operator === 'true' || operator === 'false') return isOneOf(field, BOOLEAN_TEXTS[operator]);
  throw new UnsupportedFlag(`a segment of it uses ${JSON.stringify(operator)} with the boolean ${field}`);
}

/** The condition that the value of the field is in a list, or not in it. */
function listCondition(field: string, operator: 'isoneof' | 'isnotoneof', { type, value }: Loose): Condition {
  const isIn = operator === 'isoneof';
  if (text(type) === 'NUMBER_COMPARISON_TYPE') {
    const [comparison, join] = isIn ? (['=', either] as const) : (['!=', both] as const);
    return join(valuesOf<number>(value, 'number').map((each) => comparesWithNumber(field, comparison, each)));
  }
  if (text(type) === 'BOOLEAN_COMPARISON_TYPE') return booleanCondition(field, operator);
  const values = valuesOf<string>(value, 'string');
  if (!isIn) return both([not(isOneOf(field, values)), isNotEmpty(field)]);
  return isOneOf(
    field,
    values.filter((each) => each !== ''),
  );
}

/** The values of a list. Flipt writes a list as a text with JSON; in a file that a person wrote, it may be a list of YAML. */
function valuesOf<T>(sent: unknown, kind: 'string' | 'number'): T[] {
  let values = sent;
  try {
    if (typeof sent === 'string') values = JSON.parse(sent);
  } catch {
    // Reported below.
  }
  if (Array.isArray(values) && values.every((value) => typeof value === kind)) return values as T[];
  const shown = (typeof sent === 'string' ? sent : (JSON.stringify(sent) ?? '')).slice(0, 40);
  throw new UnsupportedFlag(
    `a segment of it needs a list of ${kind === 'string' ? 'texts' : 'numbers'}${shown === '' ? ', and has none' : `, not ${shown}`}`,
  );
}
