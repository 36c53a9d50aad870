import type { TakenKind, TakenOver } from '../../features/import-export/instance/input.ts';
import { type Batch, batchesOf, batchesOfPeople, requestOf } from './batches.ts';
import { type Holdings, noHoldings } from './holdings.ts';
import type { InstanceClient } from './instance-client.ts';
import { list, object, text, texts, whole } from './loose-json.ts';
import type { Progress } from './progress.ts';

/** As `TakenOver`; also of people, and of what is gone at the source. */
export interface Took extends Omit<TakenOver, 'kind' | 'outcome'> {
  readonly kind: TakenKind | 'users' | 'roles' | 'groups' | 'access' | 'protections';
  readonly outcome: TakenOver['outcome'] | 'removed';
}

/** What became of all that was brought. */
export interface Taking {
  readonly items: Took[];
  unchanged: number;
}

/** Imports a part: whole, or with the reason why it may not be. */
export type TakeBatch = (batch: Batch, holdings: Holdings) => Promise<Taking | { readonly refusal: string }>;

/** Brings everything but what is people's, part by part. */
export async function takeHoldings(holdings: Holdings, takeBatch: TakeBatch, progress: Progress): Promise<Taking> {
  const all: Taking = { items: [], unchanged: 0 };
  await takeBatches(batchesOf(holdings), { holdings, takeBatch, progress, all });
  await takeRefusedAgain({ holdings, takeBatch, progress: () => {}, all });
  return all;
}

/**
 * Projects and flags that were refused, once more: what stood in their way may have been taken behind them. A parent is archived once its children
 * are, whose parents an archive does not contain; a project once its flags are.
 */
async function takeRefusedAgain(run: Run): Promise<void> {
  const { holdings, all } = run;
  const isRefused = ({ kind, outcome }: Took) => outcome === 'refused' && (kind === 'projects' || kind === 'features');
  const refused = new Set(all.items.filter(isRefused).map(({ kind, name }) => `${kind} ${name}`));
  if (refused.size === 0) return;
  all.items.splice(0, all.items.length, ...all.items.filter((item) => !isRefused(item)));
  const again = {
    ...{ ...noHoldings(), segmentNames: holdings.segmentNames },
    // A part that is refused as a whole is reported by the names of its things, of projects by their display names.
    projects: holdings.projects.filter(
      ({ id, name }) => refused.has(`projects ${id}`) || refused.has(`projects ${name}`),
    ),
    features: holdings.features.filter(({ name }) => refused.has(`features ${name}`)),
  };
  await takeBatches(batchesOf(again), run);
}

/** Brings what is people's, who are there by now. */
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
  /** What came of everything, and what is to come of this. */
  readonly all: Taking;
}

/** A part that is refused as a whole is halved, until what cannot be taken stands alone. */
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

/** Into a running Burgee. */
export function intoService(client: InstanceClient): TakeBatch {
  const path = '/api/admin/take-over';
  return async (batch, holdings) => {
    const reply = await client.ask('POST', path, requestOf(batch, holdings));
    // What is wrong is in this part: 400 a rule, 403 a review that the place asks for, 413 more than is taken at once.
    if ([400, 403, 413].includes(reply.status) && mayBeAPart(reply.text))
      return { refusal: text(object(JSON.parse(reply.text)).message) };
    if (reply.status !== 200) throw client.problem('POST', path, reply);
    const answer = object(JSON.parse(reply.text));
    return { items: list(answer.items).map(readItem), unchanged: whole(answer.unchanged, 0) };
  };
}

/** Not where the token may not take over at all. */
function mayBeAPart(answer: string): boolean {
  return !answer.includes('ADMIN');
}

function readItem({ kind, name, outcome, changed, reason }: Readonly<Record<string, unknown>>): TakenOver {
  return {
    kind: text(kind) as TakenKind,
    name: text(name),
    outcome: text(outcome) as TakenOver['outcome'],
    ...(changed !== undefined && { changed: texts(changed) }),
    ...(typeof reason === 'string' && { reason }),
  };
}
