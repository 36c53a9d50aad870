import { loadavg } from 'node:os';
import { machine } from '../../../../bench/support/report.ts';
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

/** The machine and its load. */
const measuredOn = (date: string) =>
  `Measured on ${machine()}, ${date}; other work used the same processors (load average of 15 minutes: ${(loadavg()[2] ?? 0).toFixed(1)}), so every number is processor time, not wall-clock time.`;

/** docs/reference/tables/worst-case-callers.md. */
export function callersDocument(results: readonly Measured[], date: string, width: Width): string {
  const { environments, projects, roles, groups, rolesOfGroup, people, groupsOfPerson } = width;
  return `# Every operation, by every kind of caller

The same measurement as in [worst-case.md](worst-case.md), on a state with many users: ${projects} projects, every second one private; ${groups} groups with
${rolesOfGroup} of ${roles} roles each in every project, each role naming ${environments} environments; ${people} users in ${groupsOfPerson} groups each; ${WIDE_FLAGS} wide flags, with 30 strategies in
each of ${environments + 1} environments in a private project, and as many in an open one. A request that reads is sent by an admin, an editor, a viewer, a viewer in all groups, a custom role in the whole instance, a service
account, a client token, a frontend token and without credentials, in the project that has most flags and in the two that have the wide flags. A request that changes something is sent by the two
callers with most permissions; if it changes many flags, it is also sent for all wide flags of the open project. Before each request a user signs on and a role changes, so that nothing
cached about the caller is left. The table has the most expensive accepted request and the most expensive refused one. The bar is ${BAR_MS} ms.

${measuredOn(date)} \`npm run bench -- worst-case\` writes this table.

${HEAD}
${rowsOf(results)}
`;
}

/** docs/reference/tables/worst-case.md. */
export function worstCaseDocument(results: readonly Measured[], date: string): string {
  return `# The most expensive legal requests

For every operation of the OpenAPI document a generator makes the largest requests that its schema allows, in several shapes, on a service whose flags
and segments are the most expensive that the limits allow (\`test/http/walks/worst-case/\`). A request that the limits refuse is made smaller until it is
accepted; refused requests are measured, too. "Hold" is the longest single turn of the event loop, by processor time of the loop's own thread, measured inside
the process; "readers" is the same for the polls that follow. The bar is ${BAR_MS} ms. A hold above it is measured again, and the shortest counts, because
garbage collection and compilation happen at random.

${measuredOn(date)} Other callers: [worst-case-callers.md](worst-case-callers.md). \`npm run bench -- worst-case\` writes this table.

${HEAD}
${rowsOf(results)}
`;
}
