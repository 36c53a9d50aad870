import { type IndexAnswer, type IndexBlock, rowsAfter as rowsOfIndex } from '../../data/index-rows.ts';
import type { Steps } from '../../domain/steps.ts';

type Block = Pick<IndexBlock, 'names' | 'shared' | 'projects' | 'marks' | 'states' | 'fingerprints'>;
type Answer = Pick<IndexAnswer, 'isWhole' | 'environments' | 'removed'> & { readonly blocks: readonly Block[] };

export interface InEnvironment {
  readonly isOn: boolean;
  /** Equal exactly if the settings are equal; empty without strategies and variants. */
  readonly fingerprint: string;
}

export interface DriftRow {
  readonly name: string;
  readonly project: string;
  /** The environments of its project. */
  readonly environments: ReadonlyMap<string, InEnvironment>;
}

const ON = 1;
/** Rows that are compared in one step. There may be 100,000 flags with 100 environments. */
const ROWS_A_STEP = 128;

function environmentsOf(names: readonly string[], block: Block, at: number): ReadonlyMap<string, InEnvironment> {
  const environments = new Map<string, InEnvironment>();
  for (const [index, name] of names.entries()) {
    const state = block.states[index]?.[at];
    if (state === undefined || state === '-') continue;
    environments.set(name, {
      isOn: (Number(state) & ON) !== 0,
      fingerprint: block.fingerprints?.[index]?.[at] ?? '',
    });
  }
  return environments;
}

/** The rows after the answer, sorted by name; without archived flags. */
export const rowsAfter = (before: readonly DriftRow[], answer: Answer): Steps<readonly DriftRow[]> =>
  rowsOfIndex(
    () => before,
    answer,
    (index) => {
      const block = answer.blocks[index] as Block;
      return ({ name, project, at }) => ({
        name,
        project,
        environments: environmentsOf(answer.environments, block, at),
      });
    },
  );

export type Drift = 'missing' | 'equal' | 'rules' | 'on' | 'off';

/** How a flag in an environment differs from the base: in its rules, or only in whether it is on. */
export function driftOf({ environments }: DriftRow, environment: string, base: string): Drift {
  const [here, there] = [environments.get(environment), environments.get(base)];
  if (!here || !there) return 'missing';
  if (here.fingerprint !== there.fingerprint) return 'rules';
  if (here.isOn === there.isOn) return 'equal';
  return here.isOn ? 'on' : 'off';
}

export const SHOWS = ['different', 'rules', 'all'] as const;
export type Show = (typeof SHOWS)[number];
export const showOf = (text: string): Show => SHOWS.find((show) => show === text) ?? 'different';

/** The environments in which the flag differs from the base. */
export function differingIn(row: DriftRow, environments: readonly string[], base: string, show: Show): string[] {
  return environments.filter((environment) => {
    const drift = driftOf(row, environment, base);
    return drift === 'rules' || (show !== 'rules' && (drift === 'on' || drift === 'off'));
  });
}

export interface DriftFilter {
  /** Empty: all. */
  readonly project: string;
  readonly text: string;
  readonly environments: readonly string[];
  readonly base: string;
  readonly show: Show;
}

/** The rows that the filter shows. All words of its text must occur in the name. */
export function* shownOf(rows: readonly DriftRow[], filter: DriftFilter): Steps<readonly DriftRow[]> {
  const { project, environments, base, show } = filter;
  const words = filter.text.toLowerCase().split(/\s+/);
  const shown: DriftRow[] = [];
  for (const [at, row] of rows.entries()) {
    if (at % ROWS_A_STEP === 0) yield;
    if (project !== '' && row.project !== project) continue;
    const name = row.name.toLowerCase();
    if (!words.every((word) => name.includes(word))) continue;
    if (show === 'all' || differingIn(row, environments, base, show).length > 0) shown.push(row);
  }
  return shown;
}
