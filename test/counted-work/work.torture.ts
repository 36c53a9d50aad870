import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Mulberry32 } from '../../src/base/mulberry32.ts';
import { type Operation, operationsOfDocument, sendExample, textOfAnswer } from '../support/example-requests.ts';
import { OF_PEOPLE, seedExamples } from '../support/example-world.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { ADMIN_TOKEN, startTestService, type TestService } from '../support/service.ts';
import { WorkCounter } from '../support/work-counter.ts';
import { REFERENCE_REQUESTS, RENEWED_LATER, type ReferenceRequest } from './reference-requests.ts';
import { REFERENCE_STATES, type Reference, type StateName } from './reference-states.ts';

/**
 * A guard against cost that comes back: work is counted for each write and each long operation, on three states, and compared with the numbers in
 * counts.json. A change that is meant is written there with its reason:
 * WORK_WHY='the reason' npx vitest run --config vitest.torture.config.ts test/counted-work
 */
const FILE = new URL('./counts.json', import.meta.url);
const WHY = process.env.WORK_WHY;

/** What may differ without a reason: small changes of code. */
const SHARE = 0.05;
const MORE = 600;
/** A thread answers it, and how its messages fall together differs from run to run. */
const OF_A_THREAD = /^callMcp$/;
const SHARE_OF_A_THREAD = 0.5;

const STATES = Object.keys(REFERENCE_STATES) as StateName[];

/** The work on each state, the statuses of the answers, and why the numbers are as they are. */
interface Row {
  readonly work: Readonly<Record<StateName, number>>;
  readonly status: number;
  readonly why: string;
}

/** Writes that create come before those that delete; what people do for themselves comes before an example deletes the person. */
const ORDER = ['put', 'patch', 'post', 'delete'];
/** What takes away what other examples name: flags, tokens, access. */
const LAST =
  /^(archive|revive|deleteFeatures?$|changeProject|delete(User|Project)$|removeEnvironment|end|change.*Password|logout|.*Scim.*Token)/i;
/** Afterwards, writes are refused. */
const AT_THE_END = /Maintenance/;

function rankOf({ method, operation: { operationId } }: Operation): number {
  if (AT_THE_END.test(operationId)) return 2 * ORDER.length + 1;
  if (LAST.test(operationId)) return 2 * ORDER.length;
  return ORDER.indexOf(method) + (OF_PEOPLE.test(operationId) ? 0 : ORDER.length);
}

const counter = new WorkCounter();
const counted = new Map<string, { work: Record<string, number>; statuses: Set<number> }>();

function note(name: string, state: StateName, status: number, work: number): void {
  const row = counted.get(name) ?? { work: {}, statuses: new Set<number>() };
  row.work[state] = work;
  row.statuses.add(status);
  counted.set(name, row);
}

async function countRequests(
  requests: readonly ReferenceRequest[],
  state: StateName,
  service: TestService,
  reference: Reference,
): Promise<void> {
  const before = new Map<string, unknown>();
  for (const { name, operationId, options } of requests) {
    const call = options(reference, before);
    let status = 0;
    const work = await counter.of(async () => {
      const answer = await service.call(operationId, call);
      status = answer.status;
      before.set(name, answer.body);
      expect(status, `${state}: ${name}: ${answer.text.slice(0, 300)}`).toBeLessThan(400);
    });
    note(`${operationId}: ${name}`, state, status, work);
  }
}

async function countExamples(state: StateName, service: TestService, person: string): Promise<void> {
  const writes = (await operationsOfDocument()).filter(({ method }) => ORDER.includes(method));
  for (const write of writes.sort((left, right) => rankOf(left) - rankOf(right))) {
    const { operationId } = write.operation;
    let status = 0;
    const work = await counter.of(async () => {
      const token = OF_PEOPLE.test(operationId) ? person : ADMIN_TOKEN;
      const answer = await sendExample(service.url, write, token);
      status = answer.status;
      await textOfAnswer(answer);
    });
    note(operationId, state, status, work);
  }
}

const rowsNow = (): Record<string, Row> => {
  const before = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Row>;
  const rows = [...counted].map(([name, { work, statuses }]) => {
    const row = { work: work as Row['work'], status: [...statuses][0] ?? 0 };
    const known = before[name];
    return [name, known && differences(name, known, row).length === 0 ? known : { ...row, why: WHY ?? '' }] as const;
  });
  return Object.fromEntries(rows);
};

function differences(name: string, before: Omit<Row, 'why'>, now: Omit<Row, 'why'>): string[] {
  const found = before.status === now.status ? [] : [`${name}: status ${before.status}, now ${now.status}`];
  for (const state of STATES) {
    const [was, is] = [before.work[state], now.work[state]];
    const share = OF_A_THREAD.test(name) ? SHARE_OF_A_THREAD : SHARE;
    if (Math.abs(is - was) > was * share + MORE) found.push(`${name}, ${state}: ${was} steps, now ${is}`);
  }
  return found;
}

beforeAll(async () => {
  await counter.start();
});
afterAll(async () => {
  await counter.stop();
});

describe('the work of each write and each long operation', () => {
  it.each(STATES)('is counted on the state: %s', async (state) => {
    const numbers = new Mulberry32(1);
    const service = await startTestService({
      isUnchecked: true,
      clock: new ManualClock(),
      random: () => numbers.next(),
      env: { SECRETS_KEY: 'what seals the secrets of the examples' },
    });
    try {
      const person = await seedExamples(service, true);
      const reference = await REFERENCE_STATES[state](service);
      await countRequests(REFERENCE_REQUESTS, state, service, reference);
      await countExamples(state, service, person);
      await countRequests(RENEWED_LATER, state, service, reference);
    } finally {
      await service.close();
    }
  });

  it('is the same as in counts.json, each difference with its reason', () => {
    const rows = rowsNow();
    if (WHY !== undefined) {
      const lines = Object.entries(rows).map(([name, row]) => `  ${JSON.stringify(name)}: ${JSON.stringify(row)}`);
      writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
    }
    const committed = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Row>;
    expect(Object.keys(committed)).toEqual([...counted.keys()]);
    expect([...counted].filter(([, { statuses }]) => statuses.size > 1)).toEqual([]);
    expect(Object.entries(committed).flatMap(([name, row]) => differences(name, row, rows[name] as Row))).toEqual([]);
    expect(Object.values(committed).filter(({ why }) => why === '')).toEqual([]);
  });
});
