import type { ImportedKind, InstanceImportInput } from '../../features/import-export/instance/input.ts';
import type { Holdings } from './holdings.ts';

/** Maximum size of one batch, in bytes: a tenth of the maximum request body. The target imports such a batch within a second. */
const BATCH_BYTES_MAX = 4_000_000;
const BATCH_ITEMS_MAX = 200;

export interface Batch {
  readonly kind: ImportedKind;
  readonly items: readonly unknown[];
}

/** The kinds of data, in the order in which they are sent. Objects come after the objects to which they refer. Tags come after flags. */
const KINDS_IN_ORDER: readonly ImportedKind[] = [
  'environments',
  'projects',
  'contextFields',
  'tagTypes',
  'strategyTypes',
  'segments',
  'defaultStrategies',
  'features',
  'tags',
  'apiTokens',
  'featureTypes',
  'frontendOrigins',
  'banners',
  'addons',
];

/** The kinds of data that belong to users. This data is sent after the users. */
const PERSONAL_KINDS: readonly ImportedKind[] = ['favorites'];

/** All data except data that belongs to users, in batches. Parent flags come before their children, and archived flags come last. */
export function batchesOf(holdings: Holdings): Batch[] {
  return KINDS_IN_ORDER.flatMap((kind) => split(kind, kind === 'features' ? sortedFeatures(holdings) : holdings[kind]));
}

/** The data that belongs to users, in batches. It is sent after the users. */
export function personalBatchesOf(holdings: Holdings): Batch[] {
  return PERSONAL_KINDS.flatMap((kind) => split(kind, holdings[kind]));
}

function sortedFeatures({ features }: Holdings): Holdings['features'] {
  const rank = ({ archivedAt, dependencies }: Holdings['features'][number]) =>
    typeof archivedAt === 'string' ? 2 : Number(dependencies !== undefined && dependencies.length > 0);
  return [...features].sort((left, right) => rank(left) - rank(right));
}

function split(kind: ImportedKind, items: readonly unknown[]): Batch[] {
  const batches: { kind: ImportedKind; items: unknown[] }[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item));
    const last = batches.at(-1);
    if (last && bytes + size <= BATCH_BYTES_MAX && last.items.length < BATCH_ITEMS_MAX) {
      last.items.push(item);
      bytes += size;
    } else {
      batches.push({ kind, items: [item] });
      bytes = size;
    }
  }
  return batches;
}

/** The request body of a batch, with the names of the segments that its strategies use. */
export function requestOf({ kind, items }: Batch, { segmentNames }: Holdings): InstanceImportInput {
  if (kind !== 'features' && kind !== 'defaultStrategies') return { [kind]: items };
  const used = new Set<number>();
  for (const item of items as {
    environments?: { strategies: { segments: number[] }[] }[];
    strategy?: { segments: number[] };
  }[]) {
    for (const id of item.strategy?.segments ?? []) used.add(id);
    for (const { strategies } of item.environments ?? [])
      for (const { segments } of strategies) for (const id of segments) used.add(id);
  }
  return { [kind]: items, segmentNames: segmentNames.filter(({ id }) => used.has(id)) };
}
