import { useCallback, useMemo, useState } from 'react';
import { isProduction, useEnvironments, useProjectEnvironments } from '../data/settings.ts';
import { type FlagRow, isOnIn } from '../domain/flag-row.ts';

export interface ListEnvironment {
  readonly name: string;
  readonly isProduction: boolean;
}

export interface ListEnvironments {
  /** Those of the shown projects. */
  readonly all: readonly (ListEnvironment & { readonly needsReason: boolean })[];
  /** Those that have a column. */
  readonly shown: readonly ListEnvironment[];
  /** Keeps the choice in this browser; none: the usual ones. */
  readonly choose: (names: readonly string[]) => void;
}

const KEY = 'burgee.list-environments';
/** The usual ones leave space for the names. */
const USUAL_MAX = 6;

/** The names by list: the id of a project, or '' for all flags. */
function readChoices(): Record<string, readonly string[] | undefined> {
  try {
    return Object(JSON.parse(localStorage.getItem(KEY) ?? ''));
  } catch {
    return {};
  }
}

function useChosen(list: string) {
  const [choices, setChoices] = useState(readChoices);
  const choose = useCallback(
    (names: readonly string[]) => {
      const after = { ...readChoices(), [list]: names.length > 0 ? names : undefined };
      setChoices(after);
      try {
        localStorage.setItem(KEY, JSON.stringify(after));
      } catch {
        // A browser that forbids storage has the choice until the page is left.
      }
    },
    [list],
  );
  return [choices[list], choose] as const;
}

/** How many flags of the projects are in projects with each environment. No projects: of all. */
function countsOf(
  rows: readonly FlagRow[],
  projects: ReadonlySet<string>,
  names: readonly string[],
): Map<string, number> {
  const ofProjects = new Map<string, { readonly row: FlagRow; count: number }>();
  for (const row of rows) {
    const known = ofProjects.get(row.project);
    if (known) known.count++;
    else ofProjects.set(row.project, { row, count: 1 });
  }
  const counts = new Map<string, number>();
  for (const { row, count } of ofProjects.values()) {
    if (projects.size > 0 && !projects.has(row.project)) continue;
    for (const name of names) if (isOnIn(row, name) !== undefined) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return counts;
}

/** The environments that have a column: those that the person chose for this list, or those that most of the shown flags have. */
export function useListEnvironments(
  project: string | undefined,
  projects: readonly string[],
  rows: readonly FlagRow[],
): ListEnvironments {
  const known = useEnvironments().data;
  const own = useProjectEnvironments(project).data;
  const [chosen, choose] = useChosen(project ?? '');
  const projectsKey = projects.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key has all projects, and their list is new with each key that is typed.
  return useMemo(() => {
    const names = known?.map(({ name }) => name) ?? [];
    const counts = countsOf(rows, new Set(projects), names);
    const list = project ? own?.filter(({ visible }) => visible) : known?.filter(({ name }) => counts.has(name));
    const all = (list ?? []).map(({ name, type, requireReason }) => ({
      name,
      isProduction: isProduction(type),
      needsReason: requireReason,
    }));
    const kept = Array.isArray(chosen) ? all.filter(({ name }) => chosen.includes(name)) : [];
    const rank = ({ name, isProduction: isFirst }: ListEnvironment) => (counts.get(name) ?? 0) * 2 + (isFirst ? 1 : 0);
    const usual = new Set([...all].sort((a, b) => rank(b) - rank(a)).slice(0, USUAL_MAX));
    // Those that the filter hides now stay chosen.
    const isHidden = (name: string) => names.includes(name) && all.every((one) => one.name !== name);
    const hidden = Array.isArray(chosen) ? chosen.filter(isHidden) : [];
    const chooseShown = (shown: readonly string[]) => choose([...hidden, ...shown]);
    return { all, shown: kept.length > 0 ? kept : all.filter((one) => usual.has(one)), choose: chooseShown };
  }, [known, own, project, projectsKey, rows, chosen, choose]);
}
