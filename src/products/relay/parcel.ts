import { randomUUID } from 'node:crypto';
import type { ScopeReports } from './report-box.ts';

/** What is told of one bulk report: every upstream takes so much. */
const PARCEL_BYTES = 90_000;

const KINDS = ['applications', 'metrics', 'impactMetrics'] as const;
type Kind = (typeof KINDS)[number];

/** A part of what is told upstream: sent as it is, until upstream has it. */
export interface Parcel {
  readonly id: string;
  readonly environment: string;
  readonly projects: readonly string[];
  /** JSON of a bulk report. */
  readonly body: string;
}

/** In as many parcels as every upstream takes. */
export function* parcelsOf(reports: ScopeReports): Generator<Parcel, void, void> {
  let items: Item[] = [];
  let bytes = 0;
  for (const kind of KINDS) {
    for (const item of reports[kind]) {
      const json = JSON.stringify(item);
      const itemBytes = Buffer.byteLength(json) + 1;
      if (items.length > 0 && bytes + itemBytes > PARCEL_BYTES) {
        yield parcelOf(reports, items);
        items = [];
        bytes = 0;
      }
      items.push({ kind, json });
      bytes += itemBytes;
    }
  }
  if (items.length > 0) yield parcelOf(reports, items);
}

/** Two parcels that hold the same together; none when it is one thing, which cannot be less. */
export function halvesOf(parcel: Parcel): readonly Parcel[] {
  const told = JSON.parse(parcel.body) as Partial<Record<Kind, readonly unknown[]>>;
  const items = KINDS.flatMap((kind) => (told[kind] ?? []).map((item) => ({ kind, json: JSON.stringify(item) })));
  if (items.length < 2) return [];
  const half = items.length >> 1;
  return [parcelOf(parcel, items.slice(0, half)), parcelOf(parcel, items.slice(half))];
}

interface Item {
  readonly kind: Kind;
  readonly json: string;
}

function parcelOf({ environment, projects }: Omit<Parcel, 'id' | 'body'>, items: readonly Item[]): Parcel {
  const [applications = '', metrics = '', measured = ''] = KINDS.map((kind) =>
    items.flatMap((item) => (item.kind === kind ? item.json : [])).join(),
  );
  const last = measured === '' ? '' : `,"impactMetrics":[${measured}]`;
  const body = `{"applications":[${applications}],"metrics":[${metrics}]${last}}`;
  return { id: randomUUID(), environment, projects, body };
}
