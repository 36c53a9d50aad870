import { readArguments } from '../arguments.ts';
import type { ProgramIo } from '../subcommand.ts';
import { UsageError } from '../subcommand.ts';
import { AdminApi, connectionOf, countOf, pathOf, wholeNumber } from './connection.ts';
import { findProjectOf } from './find-flag.ts';
import { OPTIONS } from './options.ts';
import { plain, type Screen, screenOf, timeText } from './screen.ts';

const COUNT_DEFAULT = 20;
const COUNT_MAX = 1_000;
/** The largest page of the API. */
const PAGE_MAX = 100;
/** How much of a change is printed. Longer values are cut, and further fields are only counted. */
interface Extent {
  readonly valueCharsMax: number;
  readonly fieldsMax: number;
}

const SHORT: Extent = { valueCharsMax: 100, fieldsMax: 20 };
const WHOLE: Extent = { valueCharsMax: Number.POSITIVE_INFINITY, fieldsMax: Number.POSITIVE_INFINITY };

/** An entity that a commit changed. */
interface HistoryChange {
  readonly type: string;
  readonly id: string;
  readonly project: string | null;
  readonly environment: string | null;
  readonly kind: 'created' | 'changed' | 'deleted';
  readonly fields: readonly { readonly path: string; readonly before?: unknown; readonly after?: unknown }[];
}

/** A commit with its changes. */
interface HistoryEntry {
  readonly revision: number;
  readonly at: string;
  readonly author: { readonly name: string };
  readonly reason: string | null;
  readonly types: readonly string[];
  readonly changes: readonly HistoryChange[];
  /** Whether there are more changes than these. */
  readonly more: boolean;
}

/** A page of a history. */
export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  readonly next: number | null;
}

type Values = ReturnType<typeof readArguments<typeof OPTIONS.history>>['values'];

/** Runs `burgee history`. @throws ProgramError */
export async function runHistory(args: readonly string[], io: ProgramIo): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS.history, 1);
  const [name] = positionals;
  const { project, environment, segment } = values;
  const subjects = [name ?? project, environment, segment].filter((subject) => subject !== undefined);
  if (subjects.length > 1) throw new UsageError('specify one flag, project, environment or segment; see --help');
  const count = countOf(values.count, COUNT_DEFAULT, COUNT_MAX);
  let before = values.before === undefined ? null : wholeNumber(values.before, '--before', 'a revision');
  const segmentId = segment === undefined ? undefined : wholeNumber(segment, '--segment', 'the id of a segment');
  const api = new AdminApi(connectionOf(values, io));
  const path = await pathOfHistory(api, name, values, segmentId);
  const screen = screenOf(io);
  const extent = values.whole ? WHOLE : SHORT;
  let isCut = false;
  let left = count;
  do {
    const query = new URLSearchParams({ limit: String(Math.min(left, PAGE_MAX)) });
    if (before !== null) query.set('before', String(before));
    const { entries, next } = await api.get<HistoryPage>(`${path}?${query}`);
    for (const entry of entries) io.out(values.json ? `${JSON.stringify(entry)}\n` : entryText(entry, screen, extent));
    isCut ||= !values.json && entries.some(({ changes }) => changes.some((change) => exceeds(change, extent)));
    left -= entries.length;
    before = next;
  } while (before !== null && left > 0);
  if (isCut) io.err('some changes are not printed whole: --whole prints all fields and values\n');
  if (left === count) io.err('the history has no commits\n');
  else if (before !== null) io.err(`there may be older commits: --before ${before}\n`);
  return 0;
}

async function pathOfHistory(
  api: AdminApi,
  name: string | undefined,
  { project, environment }: Values,
  segment: number | undefined,
): Promise<string> {
  if (name !== undefined) {
    const found = project ?? (await findProjectOf(api, name));
    return pathOf`/projects/${found}/features/${name}/history`;
  }
  if (project !== undefined) return pathOf`/projects/${project}/history`;
  if (environment !== undefined) return pathOf`/environments/${environment}/history`;
  return segment === undefined ? '/history' : pathOf`/segments/${segment}/history`;
}

function exceeds({ kind, fields }: HistoryChange, { fieldsMax, valueCharsMax }: Extent): boolean {
  if (kind !== 'changed') return false;
  const isLong = (value: unknown) => textOf(value).length > valueCharsMax;
  return fields.length > fieldsMax || fields.some(({ before, after }) => isLong(before) || isLong(after));
}

function entryText(
  { revision, at, author, reason, types, changes, more }: HistoryEntry,
  screen: Screen,
  extent: Extent,
): string {
  const why = reason === null ? '' : `: ${reason}`;
  const lines = [
    `${screen.dim(timeText(at))}  revision ${revision}  ${screen.bold(plain(author.name))}${plain(why)}`,
    ...changes.flatMap((change) => changeLines(change, screen, extent)),
    ...(changes.length === 0 ? [`  ${plain(types.join(', '))}`] : []),
    ...(more ? ['  and more'] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function changeLines(
  { type, id, project, environment, kind, fields }: HistoryChange,
  screen: Screen,
  { fieldsMax, valueCharsMax }: Extent,
): string[] {
  const what = `${type === 'feature' ? 'flag' : type} ${id}`;
  const inProject = project === null || type === 'project' ? '' : ` in the project ${project}`;
  const inEnvironment = environment === null || type === 'environment' ? '' : ` (${environment})`;
  const head = plain(`${what}${inProject}${inEnvironment}`);
  if (kind !== 'changed') return [`  ${head} ${kind === 'created' ? screen.green(kind) : screen.red(kind)}`];
  const rest = fields.length - fieldsMax;
  return [
    `  ${head}`,
    ...fields.slice(0, fieldsMax).map(({ path, before, after }) => {
      return `    ${plain(`${fieldName(path)}: ${valueText(before, valueCharsMax)} → ${valueText(after, valueCharsMax)}`)}`;
    }),
    ...(rest > 0 ? [`    and ${rest} more fields`] : []),
  ];
}

/** The name of a field without the marks of JSON pointers. */
export function fieldName(path: string): string {
  const name = path.replace(/^\//, '').replaceAll('~1', '/').replaceAll('~0', '~');
  return name === '' ? 'everything' : name;
}

/** A value of a field as a text. A text that is cut says how long it is. */
export function valueText(value: unknown, charsMax = SHORT.valueCharsMax): string {
  const text = textOf(value);
  return text.length > charsMax ? `${text.slice(0, charsMax)}… (${text.length} characters)` : text;
}

function textOf(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
