import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { SliceClock, Slicer } from '../../../src/base/yield-control.ts';
import { endpoints } from '../../../src/features/registry.ts';
import {
  type CollectionName,
  collectionNames,
  collectionOf,
  indexesOf,
  keyFor,
} from '../../../src/state/collections.ts';
import { APPLIED_AT_ONCE_MAX } from '../../../src/state/state.ts';
import { prepare } from '../../support/admin.ts';
import { type Operation, operationsOfDocument, sendExample, textOfAnswer } from '../../support/example-requests.ts';
import { seedExamples } from '../../support/example-world.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/**
 * Every answer is of one moment: if a commit changes, removes and adds rows while an answer is written, the answer is that of the state before the commit,
 * or that of the state after it. Every step of the work is a time slice, and the commit is applied in the first, a middle and the last pause.
 */
type Fields = Readonly<Record<string, unknown>>;

/** Texts that only answers show: no key, index or rule depends on them. */
const SHOWN = ['description', 'title', 'name', 'username', 'email', 'tokenName', 'message', 'comment', 'displayName'];

/** Fields of keys, in the order in which they are tried. */
const IN_KEYS = ['id', 'name', 'value', 'secret', 'key', 'feature', 'appName', 'userId', 'holderId'];

/** Their answers have numbers that the process counts beside the state (statistics of projects and of the instance), or the time of day. */
const COUNTED = new Set([
  'getGauges',
  'getInstanceAdminStats',
  'getInstanceAdminStatsCsv',
  'getProject',
  'getProjectOverview',
]);

/** Numbers and ids that differ between equal answers. */
const OF_ONE_ANSWER = /"(to|id|revision)":("[^"]{36}"|\d+)/g;

interface Row {
  readonly collection: CollectionName;
  readonly key: string;
  readonly entity: Fields | undefined;
}

const AT = '2026-01-01T00:00:00.000Z';
const ROLES = { project: 'default', roles: [4], createdAt: AT };

let service: TestService;
let token: string;
let reading: readonly Operation[];
/** The rows that the commit changes, as they are before and after it. */
let before: Row[];
let after: Row[];

beforeAll(async () => {
  service = await startTestService({ env: { SECRETS_KEY: 'a key of a test, with more than 32 characters' } });
  token = await seedExamples(service, true);
  const handled = new Set(
    endpoints
      .filter(({ kind, method, operationId }) => kind === 'handled' && method === 'get' && !COUNTED.has(operationId))
      .map(({ operationId }) => operationId),
  );
  reading = (await operationsOfDocument()).filter(({ operation }) => handled.has(operation.operationId));
  await put([
    ...[1, 2].map((userId) =>
      rowOf('groupMembers', { groupId: 1, userId, joinedAt: AT, createdBy: 'ada', bySignOn: false }),
    ),
    ...[1, 2].map((holderId) => rowOf('projectRoles', { ...ROLES, holder: 'user', holderId })),
    rowOf('projectRoles', { ...ROLES, holder: 'group', holderId: 1 }),
  ]);
  const originals = ownCollections().flatMap((collection) => rowsOf(collection));
  const copies = (mark: number) => originals.flatMap((row) => copyOf(row, mark) ?? []);
  await put(copies(1));
  const changed = originals.flatMap((row) => shownOtherwise(row) ?? []);
  const gone = copies(1).map((row) => ({ ...row, entity: undefined }));
  after = [...changed, ...gone, ...copies(2)];
  before = after.map(({ collection, key }) => ({ collection, key, entity: entityOf(collection, key) }));
}, 60_000);

afterEach(() => vi.restoreAllMocks());
afterAll(() => service.close());

function ownCollections(): CollectionName[] {
  return collectionNames().filter((name) => collectionOf(name).keyOf !== null && name !== 'sessions');
}

function rowsOf(collection: CollectionName): Row[] {
  const entities = [...service.running.services.state.values(collection)] as unknown as Fields[];
  return entities.map((entity) => ({ collection, key: keyOf(collection, entity), entity }));
}

const rowOf = (collection: CollectionName, entity: Fields): Row => ({
  collection,
  key: keyOf(collection, entity),
  entity,
});

const keyOf = (collection: CollectionName, entity: Fields) => keyFor(collection, entity as never, undefined);

function entityOf(collection: CollectionName, key: string): Fields | undefined {
  return service.running.services.state.get(collection, key) as unknown as Fields | undefined;
}

/** The entity under another key; undefined if its key has none of the fields. */
function copyOf({ collection, key, entity = {} }: Row, mark: number): Row | undefined {
  for (const field of IN_KEYS) {
    const value = entity[field];
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const copy = { ...entity, [field]: typeof value === 'number' ? value + 1_000 * mark : `${value}-${mark}` };
    const copied = keyOf(collection, copy);
    if (copied !== key) return { collection, key: copied, entity: copy };
  }
  return undefined;
}

/** The entity with other texts, and with the same place in all indexes. */
function shownOtherwise({ collection, key, entity = {} }: Row): Row | undefined {
  const keysOf = (one: Fields) => JSON.stringify(indexesOf(collection).map((index) => [...index.keysOf(one as never)]));
  let changed: Fields = entity;
  for (const field of SHOWN) {
    if (typeof entity[field] !== 'string') continue;
    const other = { ...changed, [field]: `other ${entity[field]}` };
    if (keyOf(collection, other) === key && keysOf(other) === keysOf(entity)) changed = other;
  }
  return changed === entity ? undefined : { collection, key, entity: changed };
}

/** Puts the rows in commits that are small enough to be applied at once. */
async function put(rows: readonly Row[]): Promise<void> {
  for (let at = 0; at < rows.length; at += APPLIED_AT_ONCE_MAX) {
    await prepare(service, (draft) => {
      for (const { collection, key, entity } of rows.slice(at, at + APPLIED_AT_ONCE_MAX)) {
        if (entity) draft.put(collection as 'features', entity as never);
        else if (draft.get(collection, key)) draft.remove(collection as 'features', key);
      }
    });
  }
}

/** The answer, while `pausing` is called before each pause with the number of pauses until now. */
async function answerOf(operation: Operation, pausing: (count: number) => Promise<void> | undefined = () => undefined) {
  let count = 0;
  let isPausing = false;
  const { pause } = Slicer.prototype;
  vi.spyOn(SliceClock.prototype, 'spent', 'get').mockImplementation(() => !isPausing);
  vi.spyOn(SliceClock.prototype, 'charge').mockImplementation(() => !isPausing);
  vi.spyOn(Slicer.prototype, 'pause').mockImplementation(async function paused(this: Slicer) {
    if (this.asker !== SERVICE && !isPausing) {
      isPausing = true;
      await pausing(++count);
      isPausing = false;
    }
    await pause.call(this);
  });
  const response = await sendExample(service.url, operation, token);
  const text = `${response.status} ${await textOfAnswer(response)}`.replace(OF_ONE_ANSWER, '$1');
  vi.restoreAllMocks();
  return { text, count };
}

it('every answer is of one moment, whatever is committed while it is written', { timeout: 240_000 }, async () => {
  const [mixed, changed]: [string[], string[]] = [[], []];
  // The two states take turns: each commit leads from one to the other.
  let isAfter = false;
  const turn = async () => {
    isAfter = !isAfter;
    await put(isAfter ? after : before);
  };
  for (const operation of reading) {
    const { operationId } = operation.operation;
    await answerOf(operation);
    const { text: earlier, count } = await answerOf(operation);
    await turn();
    const { text: later } = await answerOf(operation);
    if (count > 0 && earlier !== later) changed.push(operationId);
    const pauses = [1, Math.ceil(count / 2), count - 1].filter((at) => at >= 1 && at <= count);
    for (const at of new Set(pauses)) {
      const { text } = await answerOf(operation, (reached) => (reached === at ? turn() : undefined));
      if (text !== earlier && text !== later)
        mixed.push(`${operationId}, pause ${at} of ${count}: ${text}\n${earlier}\n${later}`);
    }
  }
  expect(mixed).toEqual([]);
  // The commit changes what many of them answer.
  expect(changed.length).toBeGreaterThan(30);
});
