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

/** How the server names the collections of these types, in the paths of conflicts. */
export const COLLECTIONS: ReadonlyMap<string, HistoryChange['type']> = new Map([
  ['features', 'feature'],
  ['segments', 'segment'],
  ['projects', 'project'],
  ['environments', 'environment'],
  ['contextFields', 'context-field'],
  ['strategyTypes', 'strategy'],
  ['defaultStrategies', 'default-strategy'],
  ['changeRequestConfigs', 'change-request-settings'],
  ['featureTypes', 'feature-type'],
  ['tagTypes', 'tag-type'],
  ['tags', 'tag'],
  ['banners', 'banner'],
  ['roles', 'role'],
  ['groups', 'group'],
  ['groupMembers', 'group-member'],
  ['projectRoles', 'project-access'],
]);

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
  manifest: 'Declared by code',
};

/** The field `releasePlan` has the name `Release plan`. Other texts are returned as they are. */
function plainName(field: string): string {
  if (!/^[a-z]+([A-Z][a-z]+)*$/.test(field)) return field;
  const text = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}

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
  return [ROOT[first] ?? plainName(first), second, ...rest].filter(Boolean).join(' / ');
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
  if (last === 'disabled')
    return { text: after ? 'Strategy switched **off**' : 'Strategy switched **on**', before, after };
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

/** Of what an object is named: its type, its id, and the name that the server knows. */
type Named = Pick<HistoryChange, 'type' | 'id' | 'project'> & Partial<Pick<HistoryChange, 'name'>>;

const NUMBER = /^[\d:]+$/;

/** The name by which people know it. A number that has none is marked as one. */
function shownName({ type, id, name, project }: Named, segments: SegmentNames): string {
  // Projects and their settings are named by their ids everywhere.
  const known = type === 'segment' ? (name ?? segments.get(Number(id))) : type === 'project' ? id : name;
  if (type === 'project-access') return `${project}: ${known ?? id.replace(/^(user|group):(\d+):.*$/, '$1 #$2')}`;
  return known ?? (NUMBER.test(id) ? `#${id}` : id);
}

/** A flag needs no word for what it is. */
export function objectName(change: HistoryChange, segments: SegmentNames): string {
  return change.type === 'feature' ? change.id : `${TYPES[change.type]} ${shownName(change, segments)}`;
}

/** For an object that is there at only one of the moments. */
export const existenceWords = ({ type, kind }: HistoryChange) => `${TYPES[type]} ${KINDS[kind]}`;

const MANY = 3;

/** The sentence of a change without the name of the object, if the page is about this object. */
export function changeWords(change: HistoryChange, about?: string, segments: SegmentNames = NO_SEGMENTS): string {
  const object = change.id === about ? '' : `${TYPES[change.type]} ${code(shownName(change, segments))}`;
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

const unescaped = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** The object that a path begins with, and the rest of the path. The key of a default strategy, and of a tag, has a slash. */
function objectAt(path: string, changes: readonly HistoryChange[]) {
  const [, collection = '', rest = ''] = /^\/([^/]*)\/(.*)$/.exec(path) ?? [];
  const type = COLLECTIONS.get(collection);
  if (type === undefined) return null;
  const of = changes.find((one) => one.type === type && [one.id, keyOf(one)].some((key) => startsWith(rest, key)));
  const key = of && startsWith(rest, keyOf(of)) ? keyOf(of) : (of?.id ?? /^[^/]*/.exec(rest)?.[0] ?? '');
  const object: Named = of ?? { type, id: unescaped(key), project: /^(?:user|group):\d+:(.*)$/.exec(key)?.[1] ?? null };
  return { object, environment: of?.environment ?? null, inner: rest.slice(key.length) };
}

const startsWith = (rest: string, key: string) => rest === key || rest.startsWith(`${key}/`);
const keyOf = ({ id, environment }: HistoryChange) => (environment === null ? id : `${id}/${environment}`);

/** What the commit made of a field that was changed again. */
function didWords(value: unknown, unit: string): string {
  return value === undefined ? ', removed by this change' : `, ${valueWords(value, unit)} after this change`;
}

const valueWords = (value: unknown, unit: string) => shown(unit === '' ? value : `${value}${unit}`);

/**
 * A field that an undo would change and that was changed again since then. `message` is for what is no such field. `changes`: those of the commit, by
 * which the object is named; what they set is in the sentence, too.
 */
export function conflictWords(
  { path, current, message }: FailureDetail,
  changes: readonly HistoryChange[] = [],
  segments: SegmentNames = NO_SEGMENTS,
): string {
  const found = objectAt(path ?? '', changes);
  if (current === undefined || !found) return message;
  const { object, inner } = found;
  const [, environment = found.environment, ofEnvironment] =
    (object.type === 'feature' && /^\/environments\/([^/]*)(.*)$/.exec(inner)) || [];
  const fieldPath = ofEnvironment ?? inner;
  const field = pathWords(fieldPath);
  const isOfEnvironments = object.type === 'feature' ? ofEnvironment !== undefined : environment !== null;
  const where = isOfEnvironments && environment !== object.id ? ` in ${code(environment)}` : '';
  const unit = inner.endsWith('/rollout') ? '%' : '';
  const set = changes
    .filter(({ type, id }) => type === object.type && id === object.id)
    .filter((one) => one.environment === (isOfEnvironments ? environment : null))
    .flatMap(({ fields }) => fields)
    .find((one) => one.path === fieldPath);
  const did = set ? didWords(set.after, unit) : '';
  const now = current === null ? 'it is gone' : `now ${valueWords(current, unit)}`;
  return `${TYPES[object.type]} ${code(shownName(object, segments))}: ${field || 'all of it'}${where}${did}, ${now}`;
}
