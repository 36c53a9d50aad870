import { pushAll } from '../../base/lists/push-all.ts';
import type { ImportedKind, ItemResult } from '../../features/import-export/instance/input.ts';
import { type Batch, batchesOf, personalBatchesOf, requestOf } from './batches.ts';
import { type Holdings, noHoldings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { integer, list, object, text, texts } from './loose-json.ts';
import type { Progress } from './progress.ts';

/** The result for one object. Same as `ItemResult`, but also for people, and for objects that are removed because the source deleted them. */
export interface MigratedItem extends Omit<ItemResult, 'kind' | 'outcome'> {
  readonly kind: ImportedKind | 'users' | 'roles' | 'groups' | 'access' | 'protections';
  readonly outcome: ItemResult['outcome'] | 'removed';
}

/** The result of the whole import. */
export interface MigrationResult {
  readonly items: MigratedItem[];
  unchanged: number;
}

/** Imports one batch. If the target refuses the whole batch, resolves with the reason, and nothing of the batch is imported. */
export type ImportBatch = (batch: Batch, holdings: Holdings) => Promise<MigrationResult | { readonly refusal: string }>;

/** Imports all data except data that belongs to users, batch by batch. */
export async function importHoldings(
  holdings: Holdings,
  importBatch: ImportBatch,
  progress: Progress,
): Promise<MigrationResult> {
  const all: MigrationResult = { items: [], unchanged: 0 };
  await importBatches(batchesOf(holdings), { holdings, importBatch, progress, all });
  await retryRefused({ holdings, importBatch, progress: () => {}, all });
  return all;
}

/**
 * Imports refused projects and flags again, because they may depend on objects that were imported after them. A parent can be archived only after its
 * children, but archived flags are read without their parents, so they cannot be sorted. A project can be archived only after its flags.
 */
async function retryRefused(run: Run): Promise<void> {
  const { holdings, all } = run;
  const isRefused = ({ kind, outcome }: MigratedItem) =>
    outcome === 'refused' && (kind === 'projects' || kind === 'features');
  const refused = new Set(all.items.filter(isRefused).map(({ kind, name }) => `${kind} ${name}`));
  if (refused.size === 0) return;
  const kept = all.items.filter((item) => !isRefused(item));
  all.items.length = 0;
  pushAll(all.items, kept);
  const retriedData = {
    ...noHoldings(),
    segmentNames: holdings.segmentNames,
    // If a batch was refused as a whole, the results contain the display names of projects instead of their ids.
    projects: holdings.projects.filter(
      ({ id, name }) => refused.has(`projects ${id}`) || refused.has(`projects ${name}`),
    ),
    features: holdings.features.filter(({ name }) => refused.has(`features ${name}`)),
  };
  await importBatches(batchesOf(retriedData), run);
}

/** Imports data that belongs to users, such as favourites. Call it after `importPeople`. */
export async function importPersonalData(
  holdings: Holdings,
  { importBatch, progress, all }: Omit<Run, 'holdings'>,
): Promise<void> {
  await importBatches(personalBatchesOf(holdings), { holdings, importBatch, progress, all });
}

interface Run {
  readonly holdings: Holdings;
  readonly importBatch: ImportBatch;
  readonly progress: Progress;
  /** The results so far. The results of this run are added. */
  readonly all: MigrationResult;
}

/** Imports batches. A batch that is refused as a whole is halved until it contains only the object that cannot be imported. */
async function importBatches(batches: readonly Batch[], { holdings, importBatch, progress, all }: Run): Promise<void> {
  const count = batches.reduce((sum, { items }) => sum + items.length, 0);
  let done = 0;
  const importOrSplit = async (batch: Batch): Promise<void> => {
    const { kind, items } = batch;
    const outcome = await importBatch(batch, holdings);
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
      await importOrSplit({ kind, items: items.slice(0, half) });
      await importOrSplit({ kind, items: items.slice(half) });
    }
  };
  for (const batch of batches) await importOrSplit(batch);
}

function nameOf(item: unknown): string {
  const { name, id, tokenName, value, project, message } = object(item);
  return text(name) || text(id) || text(tokenName) || text(value) || text(project) || text(message);
}

/** Returns a function that imports batches into a running Burgee. */
export function serviceImporter(client: InstanceClient): ImportBatch {
  const path = '/api/admin/take-over';
  return async (batch, holdings) => {
    const reply = await client.ask('POST', path, requestOf(batch, holdings));
    // Refusals of this batch only. 400: invalid data; 403: the environment requires reviews; 413: too large.
    if ([400, 403, 413].includes(reply.status) && mayConcernPart(reply.text))
      return { refusal: text(object(JSON.parse(reply.text)).message) };
    if (reply.status !== 200) throw client.problem('POST', path, reply);
    const answer = object(JSON.parse(reply.text));
    return { items: list(answer.items).map(readItem), unchanged: integer(answer.unchanged, 0) };
  };
}

/** Whether the refusal may concern only a part of the batch. False if the token does not have the permission to import. */
function mayConcernPart(answer: string): boolean {
  return !answer.includes('ADMIN');
}

function readItem({ kind, name, outcome, changed, reason }: Readonly<Record<string, unknown>>): ItemResult {
  return {
    kind: text(kind) as ImportedKind,
    name: text(name),
    outcome: text(outcome) as ItemResult['outcome'],
    ...(changed !== undefined && { changed: texts(changed) }),
    ...(typeof reason === 'string' && { reason }),
  };
}
