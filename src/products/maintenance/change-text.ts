import type { CollectionName } from '../../state/collections.ts';
import { canonical } from './digest.ts';
import type { DivergentChange } from './divergent-file.ts';

/** Characters of a value that are shown: the file has the others. */
const VALUE_CHARS = 80;

/** What is not secret. */
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

/** Whether values and keys may be shown: not those of people, tokens and sessions. */
export function isOpen(collection: CollectionName): boolean {
  return NOUNS[collection] !== undefined;
}

/** One line; for instance `changed flag "new-checkout": description: null → "for all"`. */
export function changeText(change: DivergentChange): string {
  const { collection, before, after } = change;
  const { project } = (after ?? before) as { project?: unknown };
  const where = isOpen(collection) && typeof project === 'string' ? ` in project ${quoted(project)}` : '';
  if (!before || !after) return `${after ? 'made' : 'removed'} ${nameOf(change)}${where}`;
  return `changed ${nameOf(change)}: ${[...differencesOf(before, after, '', isOpen(collection))].join('; ')}`;
}

/** For instance `flag "new-checkout"`. */
export function nameOf({ collection, key, before, after }: DivergentChange): string {
  const { name, tokenName } = (after ?? before) as { name?: unknown; tokenName?: unknown };
  if (collection === 'apiTokens') return `API token ${quoted(tokenName)}`;
  if (collection === 'segments') return `segment ${quoted(name)} (${key})`;
  return isOpen(collection) ? `${NOUNS[collection]} ${quoted(key)}` : collection;
}

/** The smallest parts that differ, by path. */
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

/** Items of a list by what names them, or by their index. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(value.map((item, at) => [item?.environment ?? item?.id ?? item?.name ?? at, item]));
}

function valueText(value: unknown): string {
  const text = quoted(value ?? null);
  return text.length > VALUE_CHARS ? `${text.slice(0, VALUE_CHARS)}…` : text;
}

/** As JSON, without control characters that a terminal would act on. */
export function quoted(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
