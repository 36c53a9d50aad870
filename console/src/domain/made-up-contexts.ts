import type { Constraint, ContextField, EnvironmentSettings, Segment, StrategyDraft } from './model.ts';
import { constraintsOf, isKnownField } from './unknown-names.ts';

type SegmentRules = Pick<Segment, 'id' | 'constraints'>;

/** A field whose values are combined with the made-up ids. */
interface Combined {
  readonly field: string;
  readonly values: readonly string[];
}

/** The contexts of a preview. */
export interface MadeUpContexts {
  /** As the API takes them. */
  readonly sent: {
    readonly madeUp: { readonly count: number; readonly field: string };
    readonly legalValuesOf?: string[];
    readonly given?: { readonly [field: string]: string | Readonly<Record<string, string>> }[];
    readonly seed: number;
  };
  readonly combined: readonly Combined[];
  /** Fields that the rules use and that are not defined: no values are made up for them. */
  readonly undefinedFields: readonly string[];
}

const GIVEN_VALUES = 5;
/** What SDKs send outside of `properties`. */
const DIRECT_FIELDS: ReadonlySet<string> = new Set(['appName', 'userId', 'sessionId', 'remoteAddress']);

const valuesOf = ({ values = [], value }: Pick<Constraint, 'values' | 'value'>) =>
  values.length > 0 || !value ? values : [value];

/**
 * Contexts that meet the rules: made-up ids, combined with the legal values of the fields that constraints and segments ask for, or with the values
 * that constraints name and one that they do not. A field that is not defined gets no values: no SDK may send it.
 */
export function contextsFor(
  settings: readonly EnvironmentSettings[],
  fields: readonly ContextField[],
  segments: readonly SegmentRules[],
  count: number,
): MadeUpContexts {
  const strategies = settings.flatMap((one) => one.strategies);
  const stickiness = strategies
    .map(({ parameters }) => parameters.stickiness)
    .find((one) => one && one !== 'default' && one !== 'random');
  const named = constraintsOf(strategies, segments);
  const undefinedFields = [...named.map(({ contextName }) => contextName), ...(stickiness ? [stickiness] : [])].filter(
    (name) => name !== '' && !isKnownField(name, fields),
  );
  const idField = stickiness && !undefinedFields.includes(stickiness) ? stickiness : 'userId';
  const constraints = named.filter(
    ({ contextName }) => contextName !== idField && !undefinedFields.includes(contextName),
  );
  const legal = new Map(fields.map(({ name, legalValues }) => [name, legalValues.map(({ value }) => value)]));
  const legalOf = (name: string) => legal.get(name) ?? [];
  const legalValuesOf = [...new Set(constraints.map(({ contextName }) => contextName))]
    .filter((name) => legalOf(name).length > 0)
    .slice(0, 2);
  const other = constraints.find((one) => legalOf(one.contextName).length === 0 && valuesOf(one).length > 0);
  const given = other && {
    field: other.contextName,
    values: [...valuesOf(other).slice(0, GIVEN_VALUES), 'another value'],
  };
  const combined = [...legalValuesOf.map((field) => ({ field, values: legalOf(field) })), ...(given ? [given] : [])];
  const combinations = combined.reduce((product, { values }) => product * values.length, 1);
  return {
    combined,
    undefinedFields: [...new Set(undefinedFields)],
    sent: {
      madeUp: { count: Math.max(1, Math.floor(count / combinations)), field: idField },
      ...(legalValuesOf.length > 0 ? { legalValuesOf } : {}),
      ...(given ? { given: given.values.map((value) => contextWith(given.field, value)) } : {}),
      seed: 1,
    },
  };
}

function contextWith(name: string, value: string) {
  const field = { [name]: value };
  return DIRECT_FIELDS.has(name) ? field : { properties: field };
}

const isOfList = ({ operator }: Constraint) => operator === 'IN' || operator === 'NOT_IN';

function meets({ operator, inverted = false, values = [] }: Constraint, value: string): boolean {
  return values.includes(value) === ((operator === 'IN') !== inverted);
}

/** The constraints that decide, and how many of the contexts meet them. */
interface Meeting {
  readonly count: number;
  readonly constraints: readonly Constraint[];
}

/** Undefined where there are no constraints, where several strategies have some, and where only an evaluation shows what meets them. */
export function meetingContexts(
  { combined, sent }: MadeUpContexts,
  strategies: readonly StrategyDraft[],
  segments: readonly SegmentRules[],
): Meeting | undefined {
  const active = strategies.filter(({ disabled }) => !disabled);
  const constraints = constraintsOf(active, segments);
  const fields = new Set(combined.map(({ field }) => field));
  const isSimple = constraints.every((one) => isOfList(one) && fields.has(one.contextName));
  if (active.length !== 1 || constraints.length === 0 || !isSimple) return undefined;
  const count = combined.reduce((product, { field, values }) => {
    const own = constraints.filter(({ contextName }) => contextName === field);
    return product * values.filter((value) => own.every((one) => meets(one, value))).length;
  }, sent.madeUp.count);
  return { count, constraints };
}
