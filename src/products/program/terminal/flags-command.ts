import { readArguments } from '../arguments.ts';
import type { ProgramIo } from '../subcommand.ts';
import { AdminApi, connectionOf, countOf } from './connection.ts';
import { type FoundPage, PAGE_MAX } from './find-flag.ts';
import type { FoundFlag } from './flag-types.ts';
import { OPTIONS } from './options.ts';
import { screenOf, table } from './screen.ts';

const COUNT_DEFAULT = 1_000;
const COUNT_MAX = 100_000;

/** Runs `burgee flags`. @throws ProgramError */
export async function runFlags(args: readonly string[], io: ProgramIo): Promise<number> {
  const { values } = readArguments(args, OPTIONS.flags);
  const count = countOf(values.count, COUNT_DEFAULT, COUNT_MAX);
  const query = new URLSearchParams({ sortBy: 'name' });
  if (values.search !== undefined) query.set('query', values.search);
  if (values.project !== undefined) query.set('project', `IS:${values.project}`);
  if (values.environment !== undefined) query.append('status[]', `${values.environment}:enabled`);
  if (values.stale) query.set('state', 'IS:stale');
  if (values.archived) query.set('archived', 'IS:true');
  const { total, flags } = await readFlags(new AdminApi(connectionOf(values, io)), query, count);
  if (values.json) for (const flag of flags) io.out(`${JSON.stringify(flag)}\n`);
  else if (flags.length > 0) io.out(flagTable(flags, io));
  if (flags.length === 0 && !values.json) io.err('no flags match\n');
  if (flags.length < total)
    io.err(`${flags.length} of ${total} flags: use --search and --project, or -n for a larger number\n`);
  return 0;
}

async function readFlags(api: AdminApi, query: URLSearchParams, count: number) {
  // A flag that is created between two requests moves others to the next page.
  const flags = new Map<string, FoundFlag>();
  for (let offset = 0; ; offset += PAGE_MAX) {
    query.set('offset', String(offset));
    query.set('limit', String(Math.min(PAGE_MAX, count - offset)));
    const { total, features } = await api.get<FoundPage>(`/search/features?${query}`);
    for (const flag of features) flags.set(flag.name, flag);
    if (offset + PAGE_MAX >= Math.min(count, total) || features.length === 0)
      return { total, flags: [...flags.values()] };
  }
}

function flagTable(flags: readonly FoundFlag[], io: ProgramIo): string {
  const screen = screenOf(io);
  const rows = flags.map((flag) => [flag.name, flag.project, flag.type, stateOf(flag), onIn(flag)]);
  const columns = [
    { title: 'name', style: screen.bold },
    { title: 'project' },
    { title: 'type' },
    { title: 'state' },
    { title: 'on in', style: screen.green },
  ];
  return table(columns, rows, screen);
}

function stateOf({ archivedAt, stale, potentiallyStale }: FoundFlag): string {
  if (archivedAt !== null) return 'archived';
  if (stale) return 'stale';
  return potentiallyStale ? 'stale?' : 'active';
}

/** The environments in which the flag is on. */
function onIn({ environments }: FoundFlag): string {
  const names = environments.flatMap(({ name, enabled }) => (enabled ? [name] : []));
  return names.length === 0 ? '-' : names.join(',');
}
