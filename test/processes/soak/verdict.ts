import { median } from '../../../bench/support/report.ts';

export interface Sample {
  readonly atS: number;
  /** After a forced collection. */
  readonly keptBytes: number;
  readonly residentBytes: number;
  readonly storeBytes: number;
}

/** Maximum growth of the median of kept memory from the middle third of a run to its last third: a fixed part, and a part for every minute between them. */
export const GROWTH_MAX_BYTES = 1_500_000;
export const GROWTH_MAX_BYTES_PER_MINUTE = 100_000;
/** Maximum growth from the first sample to the last third: caches fill once, up to this size. */
export const FILL_MAX_BYTES = 64_000_000;

interface Verdict {
  readonly growthBytes: number;
  readonly growthMaxBytes: number;
  readonly fillBytes: number;
  readonly passed: boolean;
}

/**
 * Decides whether memory grows. The first third is the warm-up. Medians are compared, because a sample can fall into the middle of a write; with a leak,
 * every sample of the last third is above every sample of the middle third. `refilledBytes` is the size of what the service empties and fills again by
 * design: one third may include it and the other may not.
 */
export function verdictOn(samples: readonly Sample[], refilledBytes = 0): Verdict {
  const third = Math.floor(samples.length / 3);
  const middle = samples.slice(third, 2 * third);
  const last = samples.slice(2 * third);
  const kept = (some: readonly Sample[]) => median(some.map(({ keptBytes }) => keptBytes));
  const minutes = (median(last.map(({ atS }) => atS)) - median(middle.map(({ atS }) => atS))) / 60;
  const growthBytes = kept(last) - kept(middle);
  const growthMaxBytes = GROWTH_MAX_BYTES + GROWTH_MAX_BYTES_PER_MINUTE * minutes + refilledBytes;
  const fillBytes = kept(last) - (samples[0]?.keptBytes ?? 0);
  const passed = third > 0 && growthBytes <= growthMaxBytes && fillBytes <= FILL_MAX_BYTES;
  return { growthBytes, growthMaxBytes, fillBytes, passed };
}

const MB = (bytes: number) => (bytes / 1e6).toFixed(1);

/** The report as a table: start, middle, end. */
export function soakTable(title: string, samples: readonly Sample[], verdict: Verdict): string {
  const at = (share: number) => samples[Math.round(share * (samples.length - 1))] as Sample;
  const row = (when: string, { atS, keptBytes, residentBytes, storeBytes }: Sample) =>
    `| ${when} | ${(atS / 60).toFixed(1)} | ${MB(keptBytes)} | ${MB(residentBytes)} | ${MB(storeBytes)} |`;
  const { growthBytes, growthMaxBytes, fillBytes, passed } = verdict;
  return `**${title}**

| when | minutes | kept after a forced collection, MB | resident, MB | store, MB |
|---|---|---|---|---|
${[row('start', at(0)), row('middle', at(0.5)), row('end', at(1))].join('\n')}

${passed ? 'Passed' : 'FAILED'}: from the middle third to the last third the median of what is kept changed by ${MB(growthBytes)} MB (at most ${MB(growthMaxBytes)}), since the start by ${MB(fillBytes)} MB (at most ${MB(FILL_MAX_BYTES)}).
`;
}
