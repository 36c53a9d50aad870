import type { ImportedInstance, ImportedKind } from '../../features/import-export/instance/input.ts';
import { type Batch, batchesOf, batchesOfPeople, requestOf } from './batches.ts';
import { type Holdings, noHoldings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { list, object, text, texts, whole } from './loose-json.ts';
import type { Progress } from './progress.ts';

/** The result for one object. Same as `ImportedInstance`, but also for people and for objects that were deleted in the source. */
export interface Took extends Omit<ImportedInstance, 'kind' | 'outcome'> {
  readonly kind: ImportedKind | 'users' | 'roles' | 'groups' | 'access' | 'protections';
  readonly outcome: ImportedInstance['outcome'] | 'removed';
}

/** The result of the whole import. */
export interface Taking {
  readonly items: Took[];
  unchanged: number;
}

/** Imports one batch. If the batch is refused as a whole, resolves with the reason, and nothing of it is imported. */
export type TakeBatch = (batch: Batch, holdings: Holdings) => Promise<Taking | { readonly refusal: string }>;

/** Imports all data except data of people, batch by batch. */
export async function takeHoldings(holdings: Holdings, takeBatch: TakeBatch, progress: Progress): Promise<Taking> {
  const all: Taking = { items: [], unchanged: 0 };
  await takeBatches(batchesOf(holdings), { holdings, takeBatch, progress, all });
  await takeRefusedAgain({ holdings, takeBatch, progress: () => {}, all });
  return all;
}

/**
 * Tries refused projects and flags again, because objects on which they depend may have been imported after them. A parent can be archived only after
 * its children, and the archive does not contain the parents of flags. A project can be archived only after its flags.
 */
async function takeRefusedAgain(run: Run): Promise<void> {
  const { holdings, all } = run;
  const isRefused = ({ kind, outcome }: Took) => outcome === 'refused' && (kind === 'projects' || kind === 'features');
  const refused = new Set(all.items.filter(isRefused).map(({ kind, name }) => `${kind} ${name}`));
  if (refused.size === 0) return;
  all.items.splice(0, all.items.length, ...all.items.filter((item) => !isRefused(item)));
  const again = {
    ...{ ...noHoldings(), segmentNames: holdings.segmentNames },
    // If a batch was refused as a whole, the results contain the display names of projects instead of their ids.
    projects: holdings.projects.filter(
      ({ id, name }) => refused.has(`projects ${id}`) || refused.has(`projects ${name}`),
    ),
    features: holdings.features.filter(({ name }) => refused.has(`features ${name}`)),
  };
  await takeBatches(batchesOf(again), run);
}

/** Imports data of people, after the people. */
export async function takeOfPeople(
  holdings: Holdings,
  { takeBatch, progress, all }: Omit<Run, 'holdings'>,
): Promise<void> {
  await takeBatches(batchesOfPeople(holdings), { holdings, takeBatch, progress, all });
}

interface Run {
  readonly holdings: Holdings;
  readonly takeBatch: TakeBatch;
  readonly progress: Progress;
  /** The results of earlier imports. The results of this run are added to it. */
  readonly all: Taking;
}

/** Imports batches. A batch that is refused as a whole is halved until it contains only the object that cannot be imported. */
async function takeBatches(batches: readonly Batch[], { holdings, takeBatch, progress, all }: Run): Promise<void> {
  const count = batches.reduce((sum, { items }) => sum + items.length, 0);
  let done = 0;
  const take = async (batch: Batch): Promise<void> => {
    const { kind, items } = batch;
    const outcome = await takeBatch(batch, holdings);
    if (!('refusal' in outcome)) {
      for (const item of outcome.items) all.items.push(item);
      all.unchanged += outcome.unchanged;
      done += items.length;
      progress('handled', done, count);
    } else if (items.length === 1) {
      all.items.push({ kind, name: nameOf(items[0]), outcome: 'refused', reason: outcome.refusal });
      done++;
    } else {
      const half = Math.ceil(items.length / 2);
      await take({ kind, items: items.slice(0, half) });
      await take({ kind, items: items.slice(half) });
    }
  };
  for (const batch of batches) await take(batch);
}

function nameOf(item: unknown): string {
  const { name, id, tokenName, value, project, message } = object(item);
  return text(name) || text(id) || text(tokenName) || text(value) || text(project) || text(message);
}

/** Imports batches into a running Burgee. */
export function intoService(client: InstanceClient): TakeBatch {
  const path = '/api/admin/take-over';
  return async (batch, holdings) => {
    const reply = await client.ask('POST', path, requestOf(batch, holdings));
    // The problem is in this batch: 400 invalid data, 403 the environment requires a review, 413 too large.
    if ([400, 403, 413].includes(reply.status) && mayBeAPart(reply.text))
      return { refusal: text(object(JSON.parse(reply.text)).message) };
    if (reply.status !== 200) throw client.problem('POST', path, reply);
    const answer = object(JSON.parse(reply.text));
    return { items: list(answer.items).map(readItem), unchanged: whole(answer.unchanged, 0) };
  };
}

/** Whether the refusal may concern only a part of the batch. False if the token does not have the permission to import. */
function mayBeAPart(answer: string): boolean {
  return !answer.includes('ADMIN');
}

function readItem({ kind, name, outcome, changed, reason }: Readonly<Record<string, unknown>>): ImportedInstance {
  return {
    kind: text(kind) as ImportedKind,
    name: text(name),
    outcome: text(outcome) as ImportedInstance['outcome'],
    ...(changed !== undefined && { changed: texts(changed) }),
    ...(typeof reason === 'string' && { reason }),
  };
}
