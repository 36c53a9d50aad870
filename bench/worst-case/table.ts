import { loadavg } from 'node:os';
import { machine } from '../support/report.ts';
import type { Measured } from './measure.ts';
import { WIDE_FLAGS, type Width } from './people.ts';

export const BAR_MS = 10;

const ms = (value: number) => value.toFixed(1);

function rowsOf(results: readonly Measured[]): string {
  return [...results]
    .sort((one, other) => Math.max(other.ownMs, other.readersOwnMs) - Math.max(one.ownMs, one.readersOwnMs))
    .map(
      ({ operationId, what, status, answerBytes, ownMs, readersOwnMs }) =>
        `| ${operationId} | ${what} | ${status} | ${answerBytes.toLocaleString('en')} | ${ms(ownMs)} | ${ms(readersOwnMs)} | ${Math.max(ownMs, readersOwnMs) <= BAR_MS ? '' : 'over'} |`,
    )
    .join('\n');
}

const HEAD = `| operation | request | status | answer, B | hold, ms | readers, ms | |
|---|---|---|---|---|---|---|`;

/** Of the machine, and how it was shared. */
const measuredOn = (date: string) =>
  `Measured on ${machine()}, ${date}; other work shared the processors (in the last 15 minutes at a load of ${(loadavg()[2] ?? 0).toFixed(1)}): every figure is processor time, not time on the clock.`;

/** docs/worst-case-callers.md. */
export function callersDocument(results: readonly Measured[], date: string, width: Width): string {
  const { environments, projects, roles, groups, rolesOfGroup, people, groupsOfPerson } = width;
  return `# Every operation, by every kind of caller

The same measurement as in [worst-case.md](worst-case.md), on a state that is wide in people: ${projects} projects, every second one private; ${groups} groups with
${rolesOfGroup} of ${roles} roles each in every project, each role naming ${environments} environments; ${people} people in ${groupsOfPerson} groups each; ${WIDE_FLAGS} flags with 30 strategies in
each of ${environments + 1} environments in a private project, and as many in an open one. What has no body is asked by an admin, an editor, a viewer, a viewer in all groups, a custom role in the whole instance, a service
account, a client token, a frontend token and without a credential, in the project that holds most flags and in the two that hold the wide ones; what changes something by the two that hold
most, and what changes many flags of all wide flags of the open project, too. Before each request somebody signs on and a role changes, so that nothing is left of what was gathered of the caller. The dearest request that was taken and
the dearest that was refused. The bar is ${BAR_MS} ms.

${measuredOn(date)} \`npm run bench:worst-case\` writes this table.

${HEAD}
${rowsOf(results)}
`;
}

/** docs/worst-case.md. */
export function worstCaseDocument(results: readonly Measured[], date: string): string {
  return `# The most expensive legal requests

For every operation of the OpenAPI document a generator makes the largest requests that its schema allows, in several shapes, on a service whose flags
and segments are the most expensive that the limits let in (\`bench/worst-case/\`). What the limits refuse is made smaller until it is taken; the refusals
are measured, too. "Hold" is the longest single turn of the event loop, by processor time of the loop's own thread, measured inside the process; "readers"
is the same of the polls that come next. The bar is ${BAR_MS} ms. A hold above it is measured again, and the shortest counts, because the collector and the
compiler strike now here, now there.

${measuredOn(date)} Other callers: [worst-case-callers.md](worst-case-callers.md). \`npm run bench:worst-case\` writes this table.

${HEAD}
${rowsOf(results)}
`;
}
