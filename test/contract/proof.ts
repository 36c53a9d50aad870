import { ADMIN_CASES } from './cases/admin.ts';
import { CHANGE_REQUEST_CASES } from './cases/change-requests.ts';
import { DASHBOARD_CASES } from './cases/dashboards.ts';
import { EVENT_CASES } from './cases/events.ts';
import { FLAG_CASES } from './cases/flags.ts';
import { PAGE_CASES } from './cases/pages.ts';
import { SDK_CASES } from './cases/sdks.ts';
import type { ContractCase } from './contract-case.ts';
import { type Operation, ROWS } from './rows.ts';

/** Every case there is. */
export const CASES: readonly ContractCase[] = [
  ...FLAG_CASES,
  ...PAGE_CASES,
  ...ADMIN_CASES,
  ...CHANGE_REQUEST_CASES,
  ...DASHBOARD_CASES,
  ...EVENT_CASES,
  ...SDK_CASES,
];

export function nameOf({ operation, status, when }: ContractCase): string {
  return `${operation} answers ${status} when ${when}`;
}

interface Row {
  readonly operation: Operation;
  readonly status: number;
}

/** Each operation with each of its statuses. */
export function rows(): Row[] {
  return (Object.keys(ROWS) as Operation[]).flatMap((operation) =>
    ROWS[operation].map((status) => ({ operation, status })),
  );
}

export function casesOf({ operation, status }: Row): ContractCase[] {
  return CASES.filter((one) => one.operation === operation && one.status === status);
}

/** docs/reference/tables/contract-proof.md, made of the cases. */
export function proofText(): string {
  const lines = [
    '# Which test proves which row of the interface',
    '',
    'Each operation of the interface that Burgee was asked to be, with every status it lists. Each case is sent over HTTP to a whole service in',
    '`test/contract/contract.test.ts`; status, error name and body are checked against schemas written from the interface, not from the code.',
    'This table is made of the cases (`UPDATE_PROOF=1 npx vitest run test/contract`), and a test keeps the two the same.',
    '',
    '| operation | status | proven when |',
    '|---|---|---|',
  ];
  for (const row of rows()) {
    for (const { operation, status, when } of casesOf(row)) lines.push(`| \`${operation}\` | ${status} | ${when} |`);
  }
  return `${lines.join('\n')}\n`;
}
