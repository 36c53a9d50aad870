import type { CollectionName } from '../../state/collections.ts';
import { canonical } from './digest.ts';
import type { SurplusChange, SurplusCommit } from './surplus-content.ts';

/** Fields that are told of one change. */
const FIELDS_MAX = 8;
/** Characters of one value. */
const VALUE_CHARS = 80;

const NOUNS: Readonly<Partial<Record<CollectionName, string>>> = {
  features: 'flag',
  projects: 'project',
  environments: 'environment',
  segments: 'segment',
  contextFields: 'context field',
  tagTypes: 'tag type',
  strategyTypes: 'strategy type',
  apiTokens: 'API token',
  counters: 'counter',
  users: 'user',
  groups: 'group',
  roles: 'role',
};

/** What people may see of them is all of it. Of the others, secrets and passwords among them, no value is told, and no key. */
const OPEN: ReadonlySet<CollectionName> = new Set([
  'features',
  'projects',
  'environments',
  'segments',
  'contextFields',
  'tagTypes',
  'strategyTypes',
  'counters',
]);

export function isOpen(collection: CollectionName): boolean {
  return OPEN.has(collection);
}

/** Who made it, when, and what it changed: a line each, as people read it. */
export function* commitWords({ seq, at, by, changes }: SurplusCommit): Generator<string, void, void> {
  yield `revision ${seq}, ${at}, by ${quoted(by.name)}`;
  for (const change of changes) yield `  ${changeWords(change)}`;
}

export function changeWords(change: SurplusChange): string {
  const { before, after } = change;
  const what = nameOf(change);
  if (!before) return `made ${what}${placeOf(change)}`;
  if (!after) return `removed ${what}${placeOf(change)}`;
  const fields = [...differences(before, after, '')];
  const told = fields.slice(0, FIELDS_MAX).map(({ path, from, to }) => {
    return isOpen(change.collection) ? `${path}: ${shown(from)} → ${shown(to)}` : path;
  });
  const more = fields.length > told.length ? `; and ${fields.length - told.length} more` : '';
  return `changed ${what}: ${told.join('; ')}${more}`;
}

/** As it is called in messages; for instance `flag "new-checkout"`. */
export function nameOf({ collection, key, before, after }: SurplusChange): string {
  const { name, tokenName } = (after ?? before) as { name?: unknown; tokenName?: unknown };
  const noun = NOUNS[collection] ?? collection;
  if (collection === 'apiTokens') return `${noun} ${quoted(String(tokenName))}`;
  if (collection === 'segments') return `${noun} ${quoted(String(name))} (${key})`;
  return isOpen(collection) ? `${noun} ${quoted(key)}` : noun;
}

function placeOf({ collection, before, after }: SurplusChange): string {
  const { project } = (after ?? before) as { project?: unknown };
  return isOpen(collection) && typeof project === 'string' ? ` in project ${quoted(project)}` : '';
}

interface Difference {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** The smallest parts that differ. Lists of things with a name are compared by name, other lists as a whole. */
function* differences(from: unknown, to: unknown, path: string): Generator<Difference, void, void> {
  if (canonical(from) === canonical(to)) return;
  const [left, right] = [members(from), members(to)];
  if (!left || !right) {
    yield { path, from, to };
    return;
  }
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    yield* differences(left.get(name), right.get(name), path === '' ? name : `${path}.${name}`);
  }
}

function members(value: unknown): ReadonlyMap<string, unknown> | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const names = value.map((item) => item?.environment ?? item?.id ?? item?.name);
  const areNames = names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
  return areNames ? new Map(value.map((item, index) => [names[index] as string, item])) : null;
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : quoted(value);
  return text.length > VALUE_CHARS ? `${text.slice(0, VALUE_CHARS)}…` : text;
}

/** As JSON, with nothing in it that a terminal would take for a command. */
function quoted(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
