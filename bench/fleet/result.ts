import { machine } from '../support/report.ts';
import type { Fleet } from './fleet.ts';
import type { FleetOptions } from './options.ts';
import { type ChangeReach, summarise } from './propagation.ts';

export interface FleetResult {
  /** The machine that ran the fleet. */
  readonly machine: string;
  readonly clients: number;
  readonly intervalS: number;
  readonly changesPerS: number;
  readonly measuredS: number;
  readonly requestsPerS: number;
  readonly bytesPerS: number;
  readonly notModifiedShare: number;
  readonly errors: number;
  readonly lastError: string;
  /** Number of connections opened since the start; greater than `clients` if the instance closed some. */
  readonly connects: number;
  readonly latencyMs: Readonly<Record<'p50' | 'p90' | 'p99' | 'p999' | 'longest', number>>;
  /** Every change; empty when none was made, or when the instance does not send revisions. */
  readonly changes: readonly ChangeReach[];
}

/** The result without the changes, which may not have reached all clients yet. */
export function resultOf(
  fleet: Fleet,
  { clients, intervalMs, changesPerS }: FleetOptions,
  tookMs: number,
): FleetResult {
  const { requests, notModified, errors, wireBytes } = fleet.counts;
  const { latencies } = fleet;
  const latency = (share: number) => (requests === 0 ? 0 : latencies.percentile(share) / 1000);
  return {
    machine: machine(),
    clients,
    intervalS: intervalMs / 1000,
    changesPerS,
    measuredS: tookMs / 1000,
    requestsPerS: (requests / tookMs) * 1000,
    bytesPerS: (wireBytes / tookMs) * 1000,
    notModifiedShare: requests === 0 ? 0 : notModified / requests,
    errors,
    lastError: fleet.lastError,
    connects: fleet.connects,
    latencyMs: {
      p50: latency(50),
      p90: latency(90),
      p99: latency(99),
      p999: latency(99.9),
      longest: requests === 0 ? 0 : latencies.max / 1000,
    },
    changes: [],
  };
}

const count = (value: number) => Math.round(value).toLocaleString('en');
const time = (ms: number | null) => (ms === null ? 'never' : `${ms.toFixed(ms < 100 ? 2 : 0)} ms`);

export function resultText(result: FleetResult): string {
  const { latencyMs, errors } = result;
  const lines = [
    `${count(result.clients)} clients, one poll each ${result.intervalS} s, ${result.changesPerS} changes/s, ${result.measuredS.toFixed(1)} s`,
    `  requests   ${count(result.requestsPerS)}/s, ${(result.notModifiedShare * 100).toFixed(1)} % of them 304`,
    `  bytes      ${count(result.bytesPerS)}/s`,
    `  latency    p50 ${time(latencyMs.p50)}, p90 ${time(latencyMs.p90)}, p99 ${time(latencyMs.p99)}, p99.9 ${time(latencyMs.p999)}, longest ${time(latencyMs.longest)}`,
    `  errors     ${errors}${errors > 0 ? ` (last: ${result.lastError})` : ''}; ${count(result.connects)} connections opened`,
  ];
  if (result.changes.length > 0) {
    const { changes, incomplete, medianMs, longestMs } = summarise(result.changes);
    const shares = ['50', '99', '100'] as const;
    const row = (times: typeof medianMs) => shares.map((share) => `${share} % ${time(times[share])}`).join(', ');
    lines.push(
      `  changes    ${changes}, time from sending one until it reached a part of the fleet, median: ${row(medianMs)}`,
      `             longest: ${row(longestMs)}${incomplete > 0 ? `; ${incomplete} did not reach all clients` : ''}`,
    );
  } else if (result.changesPerS > 0) lines.push('  changes    the instance sends no revisions: not measured');
  return `${lines.join('\n')}\n`;
}
