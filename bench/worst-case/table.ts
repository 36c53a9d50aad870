import { machine } from '../support/report.ts';
import type { Measured } from './measure.ts';

export const BAR_MS = 10;

const ms = (value: number) => value.toFixed(1);

/** docs/worst-case.md. */
export function worstCaseDocument(results: readonly Measured[], date: string): string {
  const rows = [...results]
    .sort((one, other) => Math.max(other.ownMs, other.readersOwnMs) - Math.max(one.ownMs, one.readersOwnMs))
    .map(
      ({ operationId, what, status, answerBytes, ownMs, readersOwnMs }) =>
        `| ${operationId} | ${what} | ${status} | ${answerBytes.toLocaleString('en')} | ${ms(ownMs)} | ${ms(readersOwnMs)} | ${Math.max(ownMs, readersOwnMs) <= BAR_MS ? '' : 'over'} |`,
    );
  return `# The most expensive legal requests

For every operation of the OpenAPI document a generator makes the largest requests that its schema allows, in several shapes, on a service whose flags
and segments are the most expensive that the limits let in (\`bench/worst-case/\`). What the limits refuse is made smaller until it is taken; the refusals
are measured, too. "Hold" is the longest single turn of the event loop, by processor time of the loop's own thread, measured inside the process; "readers"
is the same of the polls that come next. The bar is ${BAR_MS} ms. A hold above it is measured again, and the shortest counts, because the collector and the
compiler strike now here, now there.

Measured on ${machine()}, ${date}. \`npm run bench:worst-case\` writes this table.

| operation | request | status | answer, B | hold, ms | readers, ms | |
|---|---|---|---|---|---|---|
${rows.join('\n')}
`;
}
