import type { AdminApi } from '../terminal/connection.ts';

/** A flag of the service. */
export interface KnownFlag {
  readonly project: string;
  readonly isStale: boolean;
  readonly isArchived: boolean;
}

interface FlagIndex {
  readonly blocks: readonly {
    readonly names: string;
    readonly shared: string;
    readonly projects: readonly (readonly [project: string, count: number])[];
    readonly marks: string;
  }[];
}

const STALE = 1;
const ARCHIVED = 2;
const ZERO = 48;

/** All flags that the token may see, by name (docs/extend/flag-index.md). @throws Refusal */
export async function readKnownFlags(api: AdminApi): Promise<ReadonlyMap<string, KnownFlag>> {
  const { blocks } = await api.get<FlagIndex>('/flag-index');
  const flags = new Map<string, KnownFlag>();
  for (const { names, shared, projects, marks } of blocks) {
    const rests = names.split(' ');
    let at = 0;
    let name = '';
    for (const [project, count] of projects) {
      for (const end = at + count; at < end; at++) {
        name = name.slice(0, shared.charCodeAt(at) - ZERO) + rests[at];
        const mark = Number(marks[at]);
        flags.set(name, { project, isStale: (mark & STALE) !== 0, isArchived: (mark & ARCHIVED) !== 0 });
      }
    }
  }
  return flags;
}
