import type { Failure, FailureDetail } from '../../data/failure.ts';
import type {
  Constraint,
  EnvironmentSettings,
  HistoryChange,
  HistoryEntry,
  StrategyDraft,
  Variant,
} from '../../domain/model.ts';
import { constraintSentences, differenceWords, variantSentences } from './differences.ts';
import { type SegmentNames, strategyWords } from './rule-sentences.ts';

/** One sentence about each commit, and one about each of its fields. Names between backticks are shown in monospace. */

const code = (text: unknown) => `\`${String(text)}\``;

const TYPES: Readonly<Record<HistoryChange['type'], string>> = {
  feature: 'Flag',
  segment: 'Segment',
  project: 'Project',
  environment: 'Environment',
  'context-field': 'Context field',
  strategy: 'Strategy type',
  'default-strategy': 'Default strategy',
  'change-request-settings': 'Review settings',
  'feature-type': 'Flag type',
  'tag-type': 'Tag type',
  tag: 'Tag',
  banner: 'Banner',
  role: 'Role',
  group: 'Group',
  'group-member': 'Member of a group',
  'project-access': 'Access to a project',
};

const KINDS: Readonly<Record<HistoryChange['kind'], string>> = {
  created: 'created',
  changed: 'changed',
  deleted: 'deleted',
};

const isPlain = (value: unknown) =>
  ['string', 'number', 'boolean'].includes(typeof value) || value === null || value === undefined;
const LONG = 60;
const shown = (value: unknown): string => {
  if (value === undefined || value === null || value === '') return 'nothing';
  if (isPlain(value)) {
    const text = String(value);
    return code(text.length > LONG ? `${text.slice(0, LONG)}…` : text);
  }
  return Array.isArray(value) ? `a list of ${value.length}` : 'an object';
};

const ROOT: Readonly<Record<string, string>> = {
  stale: 'Stale',
  description: 'Description',
  type: 'Type',
  project: 'Project',
  impressionData: 'Impression data',
  name: 'Name',
  links: 'Links',
  tags: 'Tags',
  dependencies: 'Dependencies',
};

/** `/strategies/01H…/parameters/rollout` → `Strategy 01H…: rollout` */
function pathWords(path: string): string {
  const parts = path
    .split('/')
    .filter(Boolean)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const [first = '', second, ...rest] = parts;
  if (first === 'strategies' && second === '#order') return 'Order of strategies';
  if (first === 'strategies' && second) {
    const what = rest.filter((part) => part !== 'parameters').join(' / ');
    return what === 'rollout' ? 'Rollout' : what ? `Strategy ${what}` : 'Strategy';
  }
  if (first === 'variants' && second) return `Variant ${code(second)}${rest.length ? ` ${rest.join(' / ')}` : ''}`;
  if (first === 'tags' && second) return `Tag ${code(second)}`;
  return ROOT[first] ? [ROOT[first], second, ...rest].filter(Boolean).join(' / ') : parts.join(' / ');
}

interface FieldWords {
  readonly text: string;
  readonly before: unknown;
  readonly after: unknown;
}

const NO_SEGMENTS: SegmentNames = new Map<number, string>();
const NO_SETTINGS: EnvironmentSettings = { enabled: false, strategies: [], variants: [] };

/** What the server derives from other fields, which says nothing new. */
const DERIVED = new Set(['firstEnabledAt', 'archivedAt', 'sortOrder']);

/** All settings of an environment at once, as they are when it has its first ones. */
function settingsWords(before: unknown, after: unknown, segments: SegmentNames): FieldWords[] {
  const of = (value: unknown): EnvironmentSettings => ({
    ...NO_SETTINGS,
    ...(value as Partial<EnvironmentSettings> | undefined),
  });
  return differenceWords(of(before), of(after), segments).map((sentence) => ({
    before: undefined,
    after: undefined,
    ...sentence,
  }));
}

/** A type of strategy has parameters, too, but no segments. */
const isStrategy = (value: unknown): value is StrategyDraft =>
  typeof value === 'object' && value !== null && 'parameters' in value && 'segments' in value;

function nestedWords(
  { path, before, after }: HistoryChange['fields'][number],
  segments: SegmentNames,
): FieldWords[] | null {
  const last = path.split('/').at(-1);
  if (
    path === '' &&
    [before, after].some((value) => typeof value === 'object' && value !== null && 'strategies' in value)
  ) {
    return settingsWords(before, after, segments);
  }
  if (last === 'constraints') {
    const lists = [before ?? [], after ?? []] as [Constraint[], Constraint[]];
    return constraintSentences(...lists).map((text) => ({ text, before, after }));
  }
  if (last === 'variants') {
    const lists = [before ?? [], after ?? []] as [Variant[], Variant[]];
    return variantSentences(...lists).map((text) => ({ text, before, after }));
  }
  if (isStrategy(after) && before === undefined)
    return [{ text: `Strategy added: ${strategyWords(after, segments)}`, before, after }];
  if (isStrategy(before) && after === undefined)
    return [{ text: `Strategy deleted: ${strategyWords(before, segments)}`, before, after }];
  return null;
}

function plainWords({ path, before, after }: HistoryChange['fields'][number]): FieldWords {
  const name = pathWords(path);
  const last = path.split('/').at(-1);
  if (last === 'enabled' && typeof after === 'boolean') {
    return { text: after ? 'Switched **on**' : 'Switched **off**', before, after };
  }
  if (last === 'stale' && typeof after === 'boolean') {
    return { text: after ? 'Marked as stale' : 'Marked as active', before, after };
  }
  if (last === 'archived') return { text: after ? 'Archived' : 'Revived', before, after };
  if (last === 'disabled') return { text: after ? 'Strategy disabled' : 'Strategy enabled', before, after };
  if (before === undefined)
    return { text: isPlain(after) ? `${name} set to ${shown(after)}` : `${name} added`, before, after };
  if (after === undefined)
    return { text: isPlain(before) ? `${name} removed (was ${shown(before)})` : `${name} removed`, before, after };
  if (last === 'rollout') return { text: `${name}: ${shown(`${before}%`)} → ${shown(`${after}%`)}`, before, after };
  if (isPlain(before) && isPlain(after)) return { text: `${name}: ${shown(before)} → ${shown(after)}`, before, after };
  return { text: `${name} changed`, before, after };
}

/** The sentences about one field: none if other fields say the same. */
export function fieldWords(field: HistoryChange['fields'][number], segments: SegmentNames = NO_SEGMENTS): FieldWords[] {
  if (DERIVED.has(field.path.split('/').at(-1) ?? '')) return [];
  return nestedWords(field, segments) ?? [plainWords(field)];
}

/** Segments are known by their ids; people know their names. A flag needs no word for what it is. */
export function objectName({ type, id }: HistoryChange, segments: SegmentNames): string {
  if (type === 'feature') return id;
  return `${TYPES[type]} ${type === 'segment' ? (segments.get(Number(id)) ?? `#${id}`) : id}`;
}

/** For an object that is there at only one of the moments. */
export const existenceWords = ({ type, kind }: HistoryChange) => `${TYPES[type]} ${KINDS[kind]}`;

const MANY = 3;

/** The sentence of a change without the name of the object, if the page is about this object. */
export function changeWords(change: HistoryChange, about?: string, segments: SegmentNames = NO_SEGMENTS): string {
  const name = change.type === 'segment' ? (segments.get(Number(change.id)) ?? `#${change.id}`) : change.id;
  const object = change.id === about ? '' : `${TYPES[change.type]} ${code(name)}`;
  const where = change.environment ? ` in ${code(change.environment)}` : '';
  if (change.kind !== 'changed') {
    const noun = object || TYPES[change.type];
    return `${noun} ${KINDS[change.kind]}${where}`;
  }
  const fields = change.fields.flatMap((field) => fieldWords(field, segments));
  const text = fields
    .slice(0, MANY)
    .map((field) => field.text)
    .join('; ');
  const more = fields.length > MANY ? ` and ${fields.length - MANY} more` : '';
  return `${object ? `${object}: ` : ''}${text}${more}${where}`;
}

export function entryWords(entry: HistoryEntry, about?: string, segments: SegmentNames = NO_SEGMENTS): string {
  const [first, ...others] = entry.changes;
  if (!first) return entry.types.map((type) => type.replaceAll('-', ' ')).join(', ');
  const rest =
    others.length > 0 || entry.more ? ` — and ${others.length}${entry.more ? ' or more' : ''} other changes` : '';
  return changeWords(first, about, segments) + rest;
}

/** What the undo of a commit does, or null if the changed fields do not say it. */
export function undoWords(entry: HistoryEntry, about?: string, segments: SegmentNames = NO_SEGMENTS): string | null {
  if (entry.more || entry.changes.some(({ kind, fields }) => kind !== 'changed' || fields.length === 0)) return null;
  const changes = entry.changes.map((change) => ({
    ...change,
    fields: change.fields.map(({ path, before, after }) => ({ path, before: after, after: before })),
  }));
  return entryWords({ ...entry, changes }, about, segments);
}

/** The fields that keep an undo from being made. */
export const conflictsOf = ({ status, details }: Failure): readonly FailureDetail[] => (status === 409 ? details : []);

/** A field that an undo would change and that was changed again since then. `message` is for what is no such field. */
export function conflictWords({ path, current, message }: FailureDetail): string {
  const [, collection = '', key = '', rest = ''] = /^\/([^/]*)\/([^/]*)(.*)$/.exec(path ?? '') ?? [];
  if (current === undefined || (collection !== 'features' && collection !== 'segments')) return message;
  const [, environment, inner] = /^\/environments\/([^/]*)(.*)$/.exec(rest) ?? [];
  const field = pathWords(inner ?? rest);
  const object = `${collection === 'features' ? 'Flag' : 'Segment'} ${code(key.replaceAll('~1', '/').replaceAll('~0', '~'))}`;
  const where = environment === undefined ? '' : ` in ${code(environment)}`;
  const unit = rest.endsWith('/rollout') ? '%' : '';
  const now = current === null ? 'it is gone' : `now ${isPlain(current) ? shown(`${current}${unit}`) : shown(current)}`;
  return `${object}: ${field || 'all of it'}${where}, ${now}`;
}
