import { type JsonProblem, jsonProblem } from './json-problem.ts';

/** A context whose values are texts, as SDKs send it. */
export interface SentContext {
  readonly [field: string]: string | Readonly<Record<string, string>>;
}

/** A context as the API of the playground takes it. */
export interface Context extends SentContext {
  readonly appName: string;
}

/** A field of the form. */
export interface GivenField {
  readonly name: string;
  readonly value: string;
}

/** Fields of a context that are not properties. */
export const STANDARD_FIELDS = ['userId', 'sessionId', 'appName', 'remoteAddress', 'currentTime'] as const;

/** The API demands a name of an application. */
const APP_NAME = 'playground';

const isStandard = (name: string) => (STANDARD_FIELDS as readonly string[]).includes(name);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isPlain = (value: unknown) => /^(string|number|boolean)$/.test(typeof value);

/** Empty fields are left out: they are not given. */
export function contextOf(fields: readonly GivenField[]): Context {
  const given = fields
    .map(({ name, value }) => ({ name: name.trim(), value: value.trim() }))
    .filter(({ name, value }) => name !== '' && value !== '');
  const properties = Object.fromEntries(
    given.filter(({ name }) => !isStandard(name)).map(({ name, value }) => [name, value]),
  );
  const standard = Object.fromEntries(
    given.filter(({ name }) => isStandard(name)).map(({ name, value }) => [name, value]),
  );
  return { appName: APP_NAME, ...standard, ...(Object.keys(properties).length > 0 && { properties }) };
}

/**
 * The fields of a context, properties included. The name that the API demands is left out where it is the usual one. Values that are neither texts nor
 * numbers count as missing.
 */
export function fieldsOf(context: Readonly<Record<string, unknown>>): readonly GivenField[] {
  return Object.entries(context).flatMap(([name, value]): readonly GivenField[] => {
    if (isObject(value))
      return Object.entries(value).flatMap(([property, one]) =>
        isPlain(one) ? [{ name: property, value: String(one) }] : [],
      );
    const isLeftOut = !isPlain(value) || name === 'environment' || (name === 'appName' && value === APP_NAME);
    return isLeftOut ? [] : [{ name, value: String(value) }];
  });
}

/** Where a context is in the text: its line, or its position in a list. */
export interface Place {
  readonly isList: boolean;
  /** From 1. */
  readonly at: number;
}

/** Why a text is not contexts. */
export type ContextsProblem =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'tooMany'; readonly most: number }
  /** Only the first ones fit into a request. */
  | { readonly kind: 'tooLarge'; readonly fitting: number }
  | ({ readonly kind: 'notJson' } & JsonProblem)
  | { readonly kind: 'notObject'; readonly place: Place }
  | { readonly kind: 'notValue'; readonly place: Place; readonly name: string };

export interface PastedContexts {
  readonly contexts: readonly SentContext[];
  /** Of each context. */
  readonly places: readonly Place[];
}

type Pasted = PastedContexts | { readonly problem: ContextsProblem };

interface Entry {
  readonly value: unknown;
  readonly place: Place;
}

/** The values of the lines, or the first line that is not JSON. */
function linesOf(text: string): readonly Entry[] | JsonProblem {
  const entries: Entry[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const value = jsonOf(line);
    const at = index + 1;
    if (value === undefined) return { ...(jsonProblem(line) as JsonProblem), line: at };
    entries.push({ value, place: { isList: false, at } });
  }
  return entries;
}

function entriesOf(text: string): readonly Entry[] | JsonProblem {
  const whole = jsonOf(text);
  if (Array.isArray(whole)) return whole.map((value, index) => ({ value, place: { isList: true, at: index + 1 } }));
  if (whole !== undefined) return [{ value: whole, place: { isList: false, at: 1 } }];
  return text.trimStart().startsWith('[') ? (jsonProblem(text) as JsonProblem) : linesOf(text);
}

/** The values as texts, as the API reads them: null is not given. */
const textsOf = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(values).flatMap(([name, one]) => (one === null ? [] : [[name, String(one)]])));

/** An object, a list of objects, or an object on each line. The first problem is named with its place. */
export function pastedContexts(text: string, most: number): Pasted {
  if (text.trim() === '') return { problem: { kind: 'nothing' } };
  const entries = entriesOf(text);
  if ('expected' in entries) return { problem: { kind: 'notJson', ...entries } };
  if (entries.length === 0) return { problem: { kind: 'nothing' } };
  if (entries.length > most) return { problem: { kind: 'tooMany', most } };
  const contexts: SentContext[] = [];
  for (const { value, place } of entries) {
    if (!isObject(value)) return { problem: { kind: 'notObject', place } };
    const { properties, ...direct } = value;
    const given = properties ?? {};
    if (!isObject(given)) return { problem: { kind: 'notValue', place, name: 'properties' } };
    const wrong = [...Object.entries(direct), ...Object.entries(given)].find(
      ([, one]) => one !== null && !isPlain(one),
    );
    if (wrong) return { problem: { kind: 'notValue', place, name: wrong[0] } };
    contexts.push({ ...textsOf(direct), ...(Object.keys(given).length > 0 && { properties: textsOf(given) }) });
  }
  return { contexts, places: entries.map(({ place }) => place) };
}

/** More would be as many requests. */
const PLAYGROUND_MAX = 200;

/** Pasted contexts as the playground takes them. */
export function playgroundContexts(
  text: string,
): { readonly contexts: readonly Context[] } | { readonly problem: ContextsProblem } {
  const pasted = pastedContexts(text, PLAYGROUND_MAX);
  if ('problem' in pasted) return pasted;
  const flat = ({ properties, ...direct }: SentContext) =>
    Object.entries({ ...direct, ...(properties as object) }) as [string, string][];
  return { contexts: pasted.contexts.map((one) => contextOf(flat(one).map(([name, value]) => ({ name, value })))) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a context is called in a list. */
export const contextLabel = (context: Readonly<Record<string, unknown>>) =>
  fieldsOf(context)
    .map(({ name, value }) => `${name}=${value}`)
    .join(', ') || APP_NAME;
