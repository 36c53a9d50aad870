import type { Static } from 'typebox';
import type { VisibleProjects } from '../../access/visibility.ts';
import { Mulberry32 } from '../../base/mulberry32.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { EvaluationContext } from '../../evaluation/context.ts';
import { evaluationContext } from '../../evaluation/sdk-context.ts';
import type { Caller } from '../../model/caller.ts';
import type { SdkContext } from '../../model/context.ts';
import type { StateReader } from '../../state/collections.ts';
import { type GivenContexts, givenContexts } from './given-contexts.ts';
import type { PreviewContexts as SentContexts } from './schemas.ts';

/** Every combination of the given and saved contexts, the legal values and the made-up ids. */
export interface Contexts {
  readonly count: number;
  /** Upper bound of the length of the longest value of any context. */
  readonly longestValue: number;
  /** The context with this index as a client would send it. The made-up id changes fastest, the given context slowest. */
  sent(index: number): SdkContext;
  /** The same context, ready for evaluation. */
  evaluated(index: number): EvaluationContext | Rejection;
}

interface Place {
  readonly environment: string;
  readonly nowMs: number;
}

/** A field with its values, one for each repetition of a context. */
interface Repetition {
  readonly field: string;
  readonly count: number;
  /** Length of the longest value. */
  readonly longest: number;
  value(index: number): string;
}

interface Reading {
  readonly reader: StateReader;
  readonly visible: VisibleProjects;
  readonly caller: Caller;
}

const DEFAULT: Static<typeof SentContexts> = { madeUp: { count: 1_000 } };

/**
 * The contexts of a preview. A rejection if there are more than `countMax`, if a field has no legal values that the caller may see, or if a given
 * context cannot be evaluated. It does not create the combinations.
 */
export function* combinedContexts(
  { given: inBody, sets = [], legalValuesOf = [], madeUp, seed = 1 }: Static<typeof SentContexts> = DEFAULT,
  { reader, visible, caller }: Reading,
  countMax: number,
  place: Place,
): Steps<Contexts | Rejection> {
  const found = givenContexts(inBody, sets, { reader, caller });
  if (found instanceof Rejection) return found;
  const given = found.contexts;
  const repetitions: Repetition[] = [];
  for (const [index, field] of legalValuesOf.entries()) {
    const repetition = legalValues(reader, visible, field);
    if (!repetition) {
      return invalid(`The context field ${field} has no legal values.`, `/contexts/legalValuesOf/${index}`);
    }
    repetitions.push(repetition);
  }
  if (madeUp) repetitions.push(madeUpIds(madeUp.field ?? 'userId', madeUp.count, seed));
  const names = repetitions.map(({ field }) => field);
  if (names.includes('environment') || new Set(names).size < names.length) {
    return invalid('Each field may be repeated once; the environment is a field of the request.', '/contexts');
  }
  const count = repetitions.reduce((product, repetition) => product * repetition.count, given.length);
  if (count > countMax) {
    return invalid(`The preview would have ${count} contexts; the maximum is ${countMax}.`, '/contexts');
  }
  const longestValue = yield* longestOf(found, repetitions, place);
  if (longestValue instanceof Rejection) return longestValue;
  const sent = (index: number) => combination(given, repetitions, index);
  return {
    count,
    longestValue,
    sent,
    evaluated(index) {
      // Every context has one random number, which all evaluations with it use. So a difference is never due to chance, and the order of the rules that
      // draw does not matter.
      const draw = new Mulberry32(mixed(seed, index)).next();
      return evaluationContext(sent(index), { ...place, random: () => draw });
    },
  };
}

/** The fields that contexts contain directly; all other fields are properties. */
const DIRECT_FIELDS: ReadonlySet<string> = new Set(['appName', 'userId', 'sessionId', 'remoteAddress', 'currentTime']);

function combination(given: readonly SdkContext[], repetitions: readonly Repetition[], index: number): SdkContext {
  let rest = index;
  const direct: Record<string, string> = {};
  let properties: Record<string, unknown> | undefined;
  for (const { field, count, value } of repetitions.toReversed()) {
    const text = value(rest % count);
    rest = Math.floor(rest / count);
    if (DIRECT_FIELDS.has(field)) direct[field] = text;
    else {
      // The object has no prototype, because clients choose the names of fields.
      properties ??= Object.create(null) as Record<string, unknown>;
      properties[field] = text;
    }
  }
  const base = given[rest] as SdkContext;
  if (!properties) return repetitions.length === 0 ? base : { ...base, ...direct };
  return { ...base, ...direct, properties: Object.assign(Object.create(null), base.properties, properties) };
}

function legalValues(reader: StateReader, visible: VisibleProjects, name: string): Repetition | undefined {
  const field = reader.get('contextFields', name);
  const isVisible = field && (field.project === undefined || visible.has(field.project));
  if (!isVisible || field.legalValues.length === 0) return undefined;
  const values = field.legalValues.map(({ value }) => value);
  const longest = values.reduce((length, value) => Math.max(length, value.length), 0);
  return { field: name, count: values.length, longest, value: (index) => values[index] as string };
}

function madeUpIds(field: string, count: number, seed: number): Repetition {
  return { field, count, longest: 2 * ID_DIGITS, value: (index) => madeUpId(seed, index) };
}

/** Number of hexadecimal digits of half an id. */
const ID_DIGITS = 8;

/** A text of hexadecimal digits that depends only on the seed and the index. */
function madeUpId(seed: number, index: number): string {
  const numbers = new Mulberry32(mixed(seed, index) ^ ID_SALT);
  const half = () =>
    Math.floor(numbers.next() * 2 ** 32)
      .toString(16)
      .padStart(ID_DIGITS, '0');
  return half() + half();
}

/** Keeps ids and random numbers of the same context independent. */
const ID_SALT = 0x5bd1e995;

/** Spreads neighbouring indexes over all seeds. */
function mixed(seed: number, index: number): number {
  return (Math.imul(index + 1, 0x9e3779b1) ^ seed) >>> 0;
}

/** The longest value of all contexts. A rejection if a given context cannot be evaluated. */
function* longestOf(
  { contexts, pathOf }: GivenContexts,
  repetitions: readonly Repetition[],
  place: Place,
): Steps<number | Rejection> {
  let longest = repetitions.reduce((length, repetition) => Math.max(length, repetition.longest), 0);
  for (const [index, context] of contexts.entries()) {
    const evaluated = evaluationContext(context, { ...place, random: () => 0 });
    if (evaluated instanceof Rejection) return inGiven(evaluated, pathOf(index));
    longest = Math.max(longest, evaluated.longestValue);
    yield;
  }
  return longest;
}

/** The rejection of one given context, whose paths begin with `/context`. */
function inGiven({ name, message, details }: Rejection, position: string): Rejection {
  const inRequest = (path: string) => path.replace(/^\/context/, () => position);
  return new Rejection(
    name,
    message,
    details.map((detail) => (detail.path === undefined ? detail : { ...detail, path: inRequest(detail.path) })),
  );
}
