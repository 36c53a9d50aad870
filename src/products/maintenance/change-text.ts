import type { CollectionName, Entity } from '../../state/collections.ts';
import { canonical } from './digest.ts';
import type { DivergentChange } from './divergent-file.ts';

/** Maximum number of characters that are shown of a value. The file of divergent commits contains the whole value. */
const VALUE_CHARACTERS_MAX = 80;

/** The collections whose keys and values may be shown, each with the noun for one of its entities. */
const NOUNS: Readonly<Partial<Record<CollectionName, string>>> = {
  features: 'flag',
  projects: 'project',
  environments: 'environment',
  segments: 'segment',
  contextFields: 'context field',
  tagTypes: 'tag type',
  strategyTypes: 'strategy type',
  counters: 'counter',
};

/** Whether keys and values of the collection may be shown to users of the command. False for people, tokens and sessions. */
export function mayBeShown(collection: CollectionName): boolean {
  return NOUNS[collection] !== undefined;
}

/** Describes a change in one line, for example `changed flag "new-checkout": description: null → "for all"`. */
export function changeText(change: DivergentChange): string {
  const { collection, before, after } = change;
  const { project } = (after ?? before) as { project?: unknown };
  const where = mayBeShown(collection) && typeof project === 'string' ? ` in project ${quoted(project)}` : '';
  if (!before || !after) return `${after ? 'made' : 'removed'} ${nameOf(change)}${where}`;
  return `changed ${nameOf(change)}: ${[...differencesOf(withoutChangeTime(before), withoutChangeTime(after), '', mayBeShown(collection))].join('; ')}`;
}

/** An entity without the time of its last change: every commit sets it anew, also when a change is applied again. */
export function withoutChangeTime(entity: Entity | null): object | null {
  return entity && { ...entity, changedAt: null };
}

/** The name of the changed entity in messages, for example `flag "new-checkout"`. */
export function nameOf({ collection, key, before, after }: DivergentChange): string {
  const { name, tokenName } = (after ?? before) as { name?: unknown; tokenName?: unknown };
  if (collection === 'apiTokens') return `API token ${quoted(tokenName)}`;
  if (collection === 'segments') return `segment ${quoted(name)} (${key})`;
  return mayBeShown(collection) ? `${NOUNS[collection]} ${quoted(key)}` : collection;
}

/** Yields one text for each smallest part in which the values differ: the path and, if `isShown`, both values. */
function* differencesOf(from: unknown, to: unknown, path: string, isShown: boolean): Generator<string, void, void> {
  if (canonical(from) === canonical(to)) return;
  const [left, right] = [membersOf(from), membersOf(to)];
  if (!left || !right) {
    yield isShown ? `${path}: ${valueText(from)} → ${valueText(to)}` : path;
    return;
  }
  for (const name of Object.keys({ ...left, ...right }))
    yield* differencesOf(left[name], right[name], path === '' ? name : `${path}.${name}`, isShown);
}

/** The fields of an object, or the items of a list by environment, id, name or index. Null if the value has no members. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(value.map((item, at) => [item?.environment ?? item?.id ?? item?.name ?? at, item]));
}

function valueText(value: unknown): string {
  const text = quoted(value ?? null);
  return text.length > VALUE_CHARACTERS_MAX
    ? `${text.slice(0, VALUE_CHARACTERS_MAX)}… (${text.length} characters)`
    : text;
}

/** The value as JSON. Control characters that a terminal would interpret are escaped. */
export function quoted(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
