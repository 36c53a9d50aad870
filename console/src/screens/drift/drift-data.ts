import { type QueryClient, useQuery } from '@tanstack/react-query';
import type { components } from '../../api/schema.d.ts';
import { api } from '../../data/client.ts';
import { failureOf } from '../../data/failure.ts';

type Answer = components['schemas']['flagIndex'];
type Block = components['schemas']['flagIndexBlock'];

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

interface DriftIndex {
  readonly revision: string;
  /** By name; without archived flags. */
  readonly flags: ReadonlyMap<string, DriftRow>;
}

const STALE_ARCHIVED = 2;
const ON = 1;
/** Longer work would be felt while somebody types. */
const PAUSE_AFTER_MS = 20;

const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

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

/** Adds the flags of a block, as docs/flag-index.md describes it. Archived flags leave the map. */
function addBlock(flags: Map<string, DriftRow>, environments: readonly string[], block: Block): void {
  const rests = block.names.split(' ');
  let [at, name] = [0, ''];
  for (const [project, count] of block.projects as [string, number][]) {
    for (const end = at + count; at < end; at++) {
      name = name.slice(0, block.shared.charCodeAt(at) - 48) + rests[at];
      const isArchived = (Number(block.marks[at]) & STALE_ARCHIVED) !== 0;
      if (isArchived) flags.delete(name);
      else flags.set(name, { name, project, environments: environmentsOf(environments, block, at) });
    }
  }
}

/** The index after the answer. It pauses between blocks, because there may be 100,000 flags. */
export async function applied(before: DriftIndex | undefined, answer: Answer, revision: string): Promise<DriftIndex> {
  const flags = new Map(answer.isWhole ? [] : before?.flags);
  for (const name of answer.removed) flags.delete(name);
  let began = performance.now();
  for (const block of answer.blocks) {
    addBlock(flags, answer.environments, block);
    if (performance.now() - began < PAUSE_AFTER_MS) continue;
    await pause();
    began = performance.now();
  }
  return { revision, flags };
}

const KEY = ['feature', 'list', 'fingerprints'] as const;

/** Reads the whole index first, and then only what changed. */
async function readIndex(client: QueryClient): Promise<DriftIndex> {
  const before = client.getQueryData<DriftIndex>(KEY);
  const since = before ? { since: before.revision } : {};
  const { data, error, response } = await api.GET('/api/admin/flag-index', {
    params: { query: { fields: 'fingerprints', ...since } },
  });
  if (!data) throw failureOf(response, error);
  return applied(before, data, response.headers.get('burgee-index-revision') ?? '');
}

/** The settings of all flags as fingerprints. Commits refresh it by its key. */
export const useDriftIndex = () =>
  useQuery({ queryKey: KEY, queryFn: ({ client }) => readIndex(client), structuralSharing: false });

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
