import { byText } from '../../../base/lists/sorted.ts';
import { plain, type Screen } from '../terminal/screen.ts';
import type { KnownFlag } from './known-flags.ts';
import type { Place, References } from './references.ts';

/** The states that `--fail-on` accepts. `unused`: no code uses the flag. `unknown`: no flag has the name. */
export const STATES = ['unknown', 'archived', 'stale', 'unused'] as const;
export type State = (typeof STATES)[number];

/** A name that code uses, or a flag that no code uses. */
export interface Finding {
  readonly name: string;
  readonly state: State | 'active';
  /** The project of the flag; null if no flag has the name. */
  readonly project: string | null;
  /** The number of places. */
  readonly count: number;
  /** The first places. */
  readonly places: readonly Place[];
}

/** More places of a name are counted only, and more unused flags too; `--json` prints all. */
const PLACES_SHOWN_MAX = 20;
const UNUSED_SHOWN_MAX = 50;

/** The names in the code, and the flags that the code does not use, sorted by name. `projects`: only flags of these count as unused. */
export function findingsOf(
  references: References,
  known: ReadonlyMap<string, KnownFlag>,
  projects: readonly string[] | undefined,
): { readonly findings: readonly Finding[]; readonly unused: readonly Finding[] } {
  const byName = (left: Finding, right: Finding) => byText(left.name, right.name);
  const findings: Finding[] = [];
  for (const [name, { count, places }] of references.byName) {
    const flag = known.get(name);
    const sorted = places.sort((left, right) => byText(left.path, right.path) || left.line - right.line);
    findings.push({ name, state: stateOf(flag), project: flag?.project ?? null, count, places: sorted });
  }
  const unused: Finding[] = [];
  for (const [name, { project, isArchived }] of known) {
    if (isArchived || references.byName.has(name) || projects?.includes(project) === false) continue;
    unused.push({ name, state: 'unused', project, count: 0, places: [] });
  }
  return { findings: findings.sort(byName), unused: unused.sort(byName) };
}

function stateOf(flag: KnownFlag | undefined): Finding['state'] {
  if (flag === undefined) return 'unknown';
  if (flag.isArchived) return 'archived';
  return flag.isStale ? 'stale' : 'active';
}

/** A finding as `--json` prints it. */
export function findingJson({ name, state, project, count, places }: Finding) {
  return { name, state, project, count, places };
}

/** A finding for people: the name with its state, and one line for each place. */
export function findingText({ name, state, project, count, places }: Finding, screen: Screen): string {
  const mark = state === 'active' ? '' : state === 'unknown' ? 'no flag has this name' : state;
  const about = [project === null ? '' : `in the project ${project}`, mark].filter((text) => text !== '').join(', ');
  const shown = places.slice(0, PLACES_SHOWN_MAX);
  const style = state === 'active' ? screen.dim : screen.red;
  return [
    `${screen.bold(plain(name))}  ${style(plain(about))}`,
    ...shown.map(({ path, line, isCall }) => `  ${plain(path)}:${line}${isCall ? '' : screen.dim(' (only the name)')}`),
    ...(count > shown.length ? [`  and ${count - shown.length} more places`] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** The flags that no code uses, and the numbers of everything. */
export function summaryText(
  findings: readonly Finding[],
  unused: readonly Finding[],
  { read, skipped }: { readonly read: number; readonly skipped: number },
  screen: Screen,
): string {
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  const shown = unused.slice(0, UNUSED_SHOWN_MAX);
  const unknown = count('unknown');
  const lines = [
    ...(shown.length > 0 ? [screen.bold('used nowhere in this code')] : []),
    ...shown.map(({ name, project }) => `  ${plain(name)}  ${screen.dim(plain(`in the project ${project}`))}`),
    ...(unused.length > shown.length ? [`  and ${unused.length - shown.length} more; --json prints all`] : []),
    `${findings.length - unknown} flags used (${count('stale')} stale, ${count('archived')} archived), ` +
      `${unknown} unknown names, ${unused.length} flags used nowhere; ${read} files of code read, ${skipped} skipped`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}
