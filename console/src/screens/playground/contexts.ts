import { playground as words } from '../../words/en/playground.ts';

/** A context as the API of the playground takes it. */
export interface Context {
  readonly appName: string;
  readonly [field: string]: string | Readonly<Record<string, string>>;
}

/** A field of the form. */
export interface GivenField {
  readonly name: string;
  readonly value: string;
}

export const STANDARD_FIELDS = ['userId', 'sessionId', 'appName', 'remoteAddress', 'currentTime'] as const;

/** The API demands a name of an application. */
const APP_NAME = 'playground';

/** More would be as many requests. */
const CONTEXTS_MAX = 200;

const isStandard = (name: string) => (STANDARD_FIELDS as readonly string[]).includes(name);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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

/** The fields of a context, properties included. The name that the API demands is left out where it is the usual one. */
export function fieldsOf(context: Context): readonly GivenField[] {
  return Object.entries(context).flatMap(([name, value]): GivenField[] => {
    if (typeof value !== 'string')
      return Object.entries(value).map(([property, text]) => ({ name: property, value: text }));
    return name === 'environment' || (name === 'appName' && value === APP_NAME) ? [] : [{ name, value }];
  });
}

type Parsed = { readonly contexts: readonly Context[] } | { readonly problem: string };

/** An object, an array of objects, or an object on each line. Fields that are not standard ones become properties. */
export function parseContexts(text: string): Parsed {
  if (text.trim() === '') return { problem: words.nothingPasted };
  const whole = jsonOf(text);
  const lines = whole === undefined ? text.split('\n') : [];
  const objects =
    whole === undefined
      ? lines.flatMap((line, at) => (line.trim() === '' ? [] : [{ value: jsonOf(line), line: at + 1 }]))
      : (Array.isArray(whole) ? whole : [whole]).map((value: unknown, at) => ({ value, line: at + 1 }));
  if (objects.length > CONTEXTS_MAX) return { problem: words.tooMany(CONTEXTS_MAX) };
  const contexts: Context[] = [];
  for (const { value, line } of objects) {
    if (!isObject(value)) return { problem: words.notJson(line) };
    const { properties, ...rest } = value;
    const all = { ...rest, ...(isObject(properties) ? properties : {}) };
    const wrong = Object.entries(all).find(([, one]) => !/^(string|number|boolean)$/.test(typeof one) && one !== null);
    if (wrong) return { problem: words.notAValue(line, wrong[0]) };
    contexts.push(
      contextOf(Object.entries(all).map(([name, one]) => ({ name, value: one === null ? '' : String(one) }))),
    );
  }
  return contexts.length === 0 ? { problem: words.nothingPasted } : { contexts };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a context is called in a list. */
export const contextLabel = (context: Context) =>
  fieldsOf(context)
    .map(({ name, value }) => `${name}=${value}`)
    .join(', ') || APP_NAME;
