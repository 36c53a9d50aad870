import { randomUUID } from 'node:crypto';
import type { ScopeReports } from './report-box.ts';

/** Maximum bytes of one bulk report: every upstream accepts this size. */
const BATCH_BYTES = 90_000;

const KINDS = ['applications', 'metrics', 'impactMetrics'] as const;
type Kind = (typeof KINDS)[number];

/** A batch of reports: sent unchanged until upstream has accepted it. */
export interface ReportBatch {
  readonly id: string;
  readonly environment: string;
  readonly projects: readonly string[];
  /** JSON of a bulk report. */
  readonly body: string;
}

/** Splits reports into batches of a size that every upstream accepts. */
export function* batchesOf(reports: ScopeReports): Generator<ReportBatch, void, void> {
  let items: Item[] = [];
  let bytes = 0;
  for (const kind of KINDS) {
    for (const item of reports[kind]) {
      const json = JSON.stringify(item);
      const itemBytes = Buffer.byteLength(json) + 1;
      if (items.length > 0 && bytes + itemBytes > BATCH_BYTES) {
        yield batchOf(reports, items);
        items = [];
        bytes = 0;
      }
      items.push({ kind, json });
      bytes += itemBytes;
    }
  }
  if (items.length > 0) yield batchOf(reports, items);
}

/** Splits a batch into two; empty when it has only one item, which cannot be split. */
export function halvesOf(batch: ReportBatch): readonly ReportBatch[] {
  const report = JSON.parse(batch.body) as Partial<Record<Kind, readonly unknown[]>>;
  const items = KINDS.flatMap((kind) => (report[kind] ?? []).map((item) => ({ kind, json: JSON.stringify(item) })));
  if (items.length < 2) return [];
  const half = items.length >> 1;
  return [batchOf(batch, items.slice(0, half)), batchOf(batch, items.slice(half))];
}

interface Item {
  readonly kind: Kind;
  readonly json: string;
}

function batchOf({ environment, projects }: Omit<ReportBatch, 'id' | 'body'>, items: readonly Item[]): ReportBatch {
  const [applications = '', metrics = '', impactMetrics = ''] = KINDS.map((kind) =>
    items.flatMap((item) => (item.kind === kind ? item.json : [])).join(),
  );
  const impactPart = impactMetrics === '' ? '' : `,"impactMetrics":[${impactMetrics}]`;
  const body = `{"applications":[${applications}],"metrics":[${metrics}]${impactPart}}`;
  return { id: randomUUID(), environment, projects, body };
}
