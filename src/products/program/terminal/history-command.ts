import type { ProgramIo } from '../subcommand.ts';
import { UsageError } from '../subcommand.ts';
import { AdminApi, CONNECTION_FLAGS, connectionOf, countOf, pathOf, readUsage, wholeNumber } from './connection.ts';
import { findProjectOf } from './find-flag.ts';
import { plain, type Screen, screenOf, timeText } from './screen.ts';

const FLAGS = {
  ...CONNECTION_FLAGS,
  project: { type: 'string' },
  environment: { type: 'string', short: 'e' },
  segment: { type: 'string' },
  before: { type: 'string' },
  count: { type: 'string', short: 'n' },
} as const;

const COUNT_DEFAULT = 20;
const COUNT_MAX = 1_000;
/** The largest page of the API. */
const PAGE_MAX = 100;
/** Longer values are cut. */
const VALUE_CHARS_MAX = 100;
/** More fields of a change are counted only. */
const FIELDS_SHOWN_MAX = 20;

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

type Values = ReturnType<typeof readUsage<typeof FLAGS>>['values'];

/** Runs `burgee history`. @throws ProgramError */
export async function runHistory(args: readonly string[], io: ProgramIo): Promise<number> {
  const { values, positionals } = readUsage(args, FLAGS, 1);
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
  let left = count;
  do {
    const query = new URLSearchParams({ limit: String(Math.min(left, PAGE_MAX)) });
    if (before !== null) query.set('before', String(before));
    const { entries, next } = await api.get<HistoryPage>(`${path}?${query}`);
    for (const entry of entries) io.out(values.json ? `${JSON.stringify(entry)}\n` : entryText(entry, screen));
    left -= entries.length;
    before = next;
  } while (before !== null && left > 0);
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

function entryText({ revision, at, author, reason, types, changes, more }: HistoryEntry, screen: Screen): string {
  const why = reason === null ? '' : `: ${reason}`;
  const lines = [
    `${screen.dim(timeText(at))}  revision ${revision}  ${screen.bold(plain(author.name))}${plain(why)}`,
    ...changes.flatMap((change) => changeLines(change, screen)),
    ...(changes.length === 0 ? [`  ${plain(types.join(', '))}`] : []),
    ...(more ? ['  and more'] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function changeLines({ type, id, project, environment, kind, fields }: HistoryChange, screen: Screen): string[] {
  const what = `${type === 'feature' ? 'flag' : type} ${id}`;
  const inProject = project === null || type === 'project' ? '' : ` in the project ${project}`;
  const inEnvironment = environment === null || type === 'environment' ? '' : ` (${environment})`;
  const head = plain(`${what}${inProject}${inEnvironment}`);
  if (kind !== 'changed') return [`  ${head} ${kind === 'created' ? screen.green(kind) : screen.red(kind)}`];
  const rest = fields.length - FIELDS_SHOWN_MAX;
  return [
    `  ${head}`,
    ...fields.slice(0, FIELDS_SHOWN_MAX).map(({ path, before, after }) => {
      return `    ${plain(`${fieldName(path)}: ${valueText(before)} → ${valueText(after)}`)}`;
    }),
    ...(rest > 0 ? [`    and ${rest} more fields`] : []),
  ];
}

/** The name of a field without the marks of JSON pointers. */
export function fieldName(path: string): string {
  const name = path.replace(/^\//, '').replaceAll('~1', '/').replaceAll('~0', '~');
  return name === '' ? 'everything' : name;
}

/** A value of a field as one short text. */
export function valueText(value: unknown): string {
  const text = value === undefined ? 'none' : JSON.stringify(value);
  return text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text;
}
