import {
  both,
  type Comparison,
  type Condition,
  comparesWithNumber,
  EVERYBODY,
  either,
  fieldNamed,
  isOneOf,
  NOBODY,
  not,
  one,
  Unkeepable,
} from './conditions.ts';
import { flag, type Loose, list, object, text, textOrNull, texts, whole } from './loose-json.ts';
import type { OtherFile } from './other-files.ts';
import { type Branch, payloadOf, type RuleFlag, type Share } from './rule-flag.ts';

type Segments = ReadonlyMap<string, Loose>;

export function isFliptFile(file: Loose): boolean {
  const isOurs = (each: Loose) => text(each.key) !== '';
  const isEmpty = list(file.flags).length + list(file.segments).length === 0;
  return !isEmpty && [...list(file.flags), ...list(file.segments)].every(isOurs);
}

/** Reads the flags of a Flipt file. A namespace becomes a project. Segments become constraints of the strategies. */
export function readFliptFile(file: Loose, into: OtherFile): void {
  const segments = new Map(list(file.segments).map((segment) => [text(segment.key), segment]));
  const namespace = text(file.namespace) || text(object(file.namespace).key);
  const project = namespace === '' || namespace === 'default' ? undefined : namespace;
  for (const sent of list(file.flags)) {
    const name = text(sent.key);
    const isBoolean = text(sent.type) === 'BOOLEAN_FLAG_TYPE';
    into.take(name, () => (isBoolean ? booleanFlag(sent, segments, into) : variantFlag(sent, segments, into)), project);
  }
}

/** Converts a boolean flag. Its rollouts are evaluated in order. A context that no rollout matches gets the flag's default. */
function booleanFlag(sent: Loose, segments: Segments, into: OtherFile): RuleFlag {
  const name = text(sent.key);
  const branches = list(sent.rollouts).map((rollout): Branch => {
    const { segment, threshold } = rollout;
    if (threshold !== undefined) {
      into.noteShares(name);
      const { percentage, value } = object(threshold);
      return { when: EVERYBODY, isOn: flag(value), share: Number(percentage ?? 0) };
    }
    if (segment === undefined) throw new Unkeepable('a rollout of it has neither a segment nor a percentage');
    return { when: contextsOf(segment, object(segment).operator, segments), isOn: flag(object(segment).value) };
  });
  const last: Branch = { when: EVERYBODY, isOn: flag(sent.enabled) };
  return { name, description: descriptionOf(sent), branches: [...branches.filter(isAsked), last], enabled: true };
}

function isAsked({ share }: Branch): boolean {
  return share !== 0;
}

/** Converts a variant flag. The first rule that matches decides. If no rule matches or the flag is off, the result is the default variant. */
function variantFlag(sent: Loose, segments: Segments, into: OtherFile): RuleFlag {
  const name = text(sent.key);
  const description = descriptionOf(sent);
  const variants = new Map(list(sent.variants).map((variant) => [text(variant.key), variant]));
  const shareOf = (key: string, weight: number): Share => {
    const variant = variants.get(key);
    if (variant === undefined)
      throw new Unkeepable(`a rule of it returns ${JSON.stringify(key)}, a variant that it does not have`);
    return { name: key, weight, payload: payloadOf(variant.attachment ?? key) };
  };
  const preset = [...variants.values()].find((variant) => flag(variant.default));
  const otherwise = (when: Condition): Branch =>
    preset ? { when, isOn: true, variants: [shareOf(text(preset.key), 1)] } : { when, isOn: false };
  const isOn = flag(sent.enabled);
  if (!isOn && preset) {
    into.note(
      name,
      'it is off there and returns its default variant: here it returns that variant too, without its rules',
    );
    return { name, description, branches: [otherwise(EVERYBODY)], enabled: true };
  }
  const rules = [...list(sent.rules)].sort((left, right) => whole(left.rank, 0) - whole(right.rank, 0));
  const branches = rules.flatMap((rule): Branch[] => {
    const when = contextsOf(rule.segment ?? rule.segments, rule.operator ?? rule.segmentOperator, segments);
    const distributions = list(rule.distributions)
      .map(({ variant, rollout }) => ({ key: text(variant), weight: Number(rollout ?? 0) }))
      .filter(({ weight }) => weight > 0);
    if (distributions.length === 0) return [{ when, isOn: true }];
    const total = distributions.reduce((sum, { weight }) => sum + weight, 0);
    if (distributions.length > 1 || total < 100) into.noteShares(name);
    const shares = distributions.map(({ key, weight }) => shareOf(key, weight));
    const share = total < 100 ? { share: total } : {};
    // Later rules do not apply to a context that matches this rule but is outside its percentages.
    return [{ when, isOn: true, ...share, variants: shares }, ...(total < 100 ? [otherwise(when)] : [])];
  });
  return { name, description, branches: [...branches, otherwise(EVERYBODY)], enabled: isOn };
}

function descriptionOf({ description, name }: Loose): string | null {
  return textOrNull(description) || textOrNull(name);
}

/** The contexts of one segment, or of several segments. The operator decides whether all segments must match or any of them. */
function contextsOf(sent: unknown, operator: unknown, segments: Segments): Condition {
  const named = object(sent);
  const keys = typeof sent === 'string' ? [sent] : Array.isArray(sent) ? texts(sent) : texts(named.keys);
  if (text(named.key) !== '') keys.push(text(named.key));
  if (keys.length === 0) throw new Unkeepable('a rule of it has no segment');
  const conditions = keys.map((key) => {
    const segment = segments.get(key);
    if (segment === undefined) throw new Unkeepable(`its segment ${key} is not in the file`);
    return segmentCondition(segment);
  });
  const isAll = (text(operator) || text(named.operator)) === 'AND_SEGMENT_OPERATOR';
  return isAll ? both(...conditions) : either(...conditions);
}

function segmentCondition({ match_type, matchType, constraints }: Loose): Condition {
  const conditions = list(constraints).map(constraintCondition);
  if (conditions.length === 0) return EVERYBODY;
  return (text(match_type) || text(matchType)) === 'ANY_MATCH_TYPE' ? either(...conditions) : both(...conditions);
}

/** The condition that the field is not empty. In Flipt, an empty value counts as missing. */
const filled = (contextName: string) => one({ contextName, operator: 'REGEX', value: '(?s).' });
/** The condition for the operator "present". For it, a value that consists of spaces also counts as missing. */
const present = (contextName: string) => one({ contextName, operator: 'REGEX', value: '\\S' });

function constraintCondition(sent: Loose): Condition {
  const type = text(sent.type);
  const operator = text(sent.operator);
  const value = text(sent.value);
  const field = fieldNamed(type === 'ENTITY_ID_COMPARISON_TYPE' ? 'userId' : text(sent.property));
  if (operator === 'present' || operator === 'notempty') return present(field);
  if (operator === 'notpresent' || operator === 'empty') return not(present(field));
  if (type === 'NUMBER_COMPARISON_TYPE') return numberCondition(field, operator, value);
  if (type === 'BOOLEAN_COMPARISON_TYPE') return booleanCondition(field, operator);
  if (type === 'DATETIME_COMPARISON_TYPE')
    throw new Unkeepable(`it compares the time in ${field}, and SDKs compare only the current time`);
  return textCondition(field, operator, value);
}

function textCondition(field: string, operator: string, value: string): Condition {
  const compared = (kind: 'STR_STARTS_WITH' | 'STR_ENDS_WITH' | 'STR_CONTAINS') =>
    one({ contextName: field, operator: kind, values: [value] });
  switch (operator) {
    case 'eq':
      return value === '' ? NOBODY : isOneOf(field, [value]);
    case 'neq':
      return both(not(isOneOf(field, [value])), filled(field));
    case 'isoneof':
      return isOneOf(
        field,
        valuesOf<string>(value, 'string').filter((each) => each !== ''),
      );
    case 'isnotoneof':
      return both(not(isOneOf(field, valuesOf<string>(value, 'string'))), filled(field));
    case 'prefix':
      return compared('STR_STARTS_WITH');
    case 'suffix':
      return compared('STR_ENDS_WITH');
    case 'contains':
      return compared('STR_CONTAINS');
    case 'notcontains':
      return both(not(compared('STR_CONTAINS')), filled(field));
    default:
      throw new Unkeepable(`a segment of it uses ${JSON.stringify(operator)} with ${field}`);
  }
}

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  ...{ eq: '=', neq: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=' },
};

function numberCondition(field: string, operator: string, value: string): Condition {
  if (operator === 'isoneof' || operator === 'isnotoneof') {
    const [comparison, join] = operator === 'isoneof' ? (['=', either] as const) : (['!=', both] as const);
    return join(...valuesOf<number>(value, 'number').map((each) => comparesWithNumber(field, comparison, each)));
  }
  const comparison = Object.hasOwn(COMPARISONS, operator) ? COMPARISONS[operator] : undefined;
  if (comparison === undefined || value.trim() === '' || !Number.isFinite(Number(value)))
    throw new Unkeepable(
      `a segment of it uses ${JSON.stringify(operator)} ${JSON.stringify(value)} with the number ${field}`,
    );
  return comparesWithNumber(field, comparison, Number(value));
}

/** All words that Flipt accepts as true or false. */
const WORDS = { true: ['1', 't', 'T', 'TRUE', 'true', 'True'], false: ['0', 'f', 'F', 'FALSE', 'false', 'False'] };

function booleanCondition(field: string, operator: string): Condition {
  if (operator === 'true' || operator === 'false') return isOneOf(field, WORDS[operator]);
  throw new Unkeepable(`a segment of it asks ${JSON.stringify(operator)} of ${field}`);
}

function valuesOf<T>(sent: string, kind: 'string' | 'number'): T[] {
  try {
    const values: unknown = JSON.parse(sent);
    if (Array.isArray(values) && values.every((value) => typeof value === kind)) return values as T[];
  } catch {
    // Reported below.
  }
  throw new Unkeepable(`a segment of it has an invalid list: ${sent.slice(0, 40)}`);
}
