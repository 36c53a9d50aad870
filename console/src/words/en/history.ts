import type { HistoryChange, HistoryEntry } from '../../domain/model.ts';

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
};

const KINDS: Readonly<Record<HistoryChange['kind'], string>> = { created: 'created', changed: 'changed', deleted: 'deleted' };

const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value) || value === null || value === undefined;
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
};

/** `/strategies/01H…/parameters/rollout` → `Strategy 01H…: rollout` */
function pathWords(path: string): string {
  const parts = path.split('/').filter(Boolean).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const [first = '', second, ...rest] = parts;
  if (first === 'strategies' && second === '#order') return 'Order of strategies';
  if (first === 'strategies' && second) {
    const what = rest.filter((part) => part !== 'parameters').join(' / ');
    return what ? `Strategy ${what}` : 'Strategy';
  }
  if (first === 'variants' && second) return `Variant ${code(second)}${rest.length ? ` ${rest.join(' / ')}` : ''}`;
  if (first === 'tags' && second) return `Tag ${code(second)}`;
  return ROOT[first] ? [ROOT[first], second, ...rest].filter(Boolean).join(' / ') : parts.join(' / ');
}

export interface FieldWords {
  readonly text: string;
  readonly before: unknown;
  readonly after: unknown;
}

export function fieldWords(field: HistoryChange['fields'][number]): FieldWords {
  const { path, before, after } = field;
  const name = pathWords(path);
  const last = path.split('/').at(-1);
  if (last === 'enabled' && typeof after === 'boolean') {
    return { text: after ? 'Switched **on**' : 'Switched **off**', before, after };
  }
  if (last === 'archived' || last === 'archivedAt') return { text: after ? 'Archived' : 'Revived', before, after };
  if (before === undefined) return { text: isPlain(after) ? `${name} set to ${shown(after)}` : `${name} added`, before, after };
  if (after === undefined) return { text: isPlain(before) ? `${name} removed (was ${shown(before)})` : `${name} removed`, before, after };
  if (isPlain(before) && isPlain(after)) return { text: `${name}: ${shown(before)} → ${shown(after)}`, before, after };
  return { text: `${name} changed`, before, after };
}

const MANY = 3;

/** The sentence of a change without the name of the object, if the page is about this object. */
export function changeWords(change: HistoryChange, about?: string): string {
  const object = change.id === about ? '' : `${TYPES[change.type]} ${code(change.id)}`;
  const where = change.environment ? ` in ${code(change.environment)}` : '';
  if (change.kind !== 'changed') {
    const noun = object || TYPES[change.type];
    return `${noun} ${KINDS[change.kind]}${where}`;
  }
  const fields = change.fields.map(fieldWords);
  const text = fields.slice(0, MANY).map((field) => field.text).join('; ');
  const more = fields.length > MANY ? ` and ${fields.length - MANY} more` : '';
  return `${object ? `${object}: ` : ''}${text}${more}${where}`;
}

export function entryWords(entry: HistoryEntry, about?: string): string {
  const [first, ...others] = entry.changes;
  if (!first) return entry.types.map((type) => type.replaceAll('-', ' ')).join(', ');
  const rest = others.length > 0 || entry.more ? ` — and ${others.length}${entry.more ? ' or more' : ''} other changes` : '';
  return changeWords(first, about) + rest;
}
