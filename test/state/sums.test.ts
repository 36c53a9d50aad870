import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SERVICE } from '../../src/base/asking/asker.ts';
import {
  CHANGE_REQUEST_STATES,
  type ChangeRequest,
  type ChangeRequestState,
  isOpen,
  requestBytes,
} from '../../src/model/change-request.ts';
import type { StateReader } from '../../src/state/collections.ts';
import type { Change } from '../../src/state/commit.ts';
import { Draft } from '../../src/state/draft.ts';
import { decodeSnapshot, encodeSnapshot } from '../../src/state/snapshot.ts';
import { State } from '../../src/state/state.ts';
import { anyText } from '../support/any-text.ts';
import { commitOf } from '../support/random-state.ts';

const by = { id: 1, name: 'test' };

function request(id: number, project: string, state: ChangeRequestState, text: string): ChangeRequest {
  return {
    id,
    title: '',
    project,
    environment: 'production',
    state,
    minApprovals: 1,
    changes: [],
    approvals: [],
    rejections: [],
    comments: [{ id: 1, text, by, at: '' }],
    schedule: null,
    createdBy: by,
    createdAt: '',
    closedAt: null,
  };
}

const put = fc
  .tuple(fc.nat(9), fc.constantFrom('a', 'b'), fc.constantFrom(...CHANGE_REQUEST_STATES), anyText())
  .map(([id, project, state, text]) => request(id, project, state, text));

/** Each commit puts some requests, and removes some existing ones. */
const commits = fc.array(
  fc.record({ puts: fc.array(put, { maxLength: 6 }), removals: fc.array(fc.nat(9), { maxLength: 3 }) }),
  { minLength: 1, maxLength: 8 },
);

function changesOf(state: State, { puts, removals }: { puts: readonly ChangeRequest[]; removals: readonly number[] }) {
  const draft = new Draft(state);
  for (const one of puts) draft.put('changeRequests', one);
  for (const id of removals) {
    if (draft.get('changeRequests', String(id))) draft.remove('changeRequests', String(id));
  }
  expectSums(draft);
  return draft.changes();
}

/** Every sum is the total weight of the entities in the index. */
function expectSums(reader: StateReader): void {
  const all = [...reader.values('changeRequests')];
  const total = (requests: readonly ChangeRequest[]) => requests.reduce((sum, one) => sum + requestBytes(one), 0);
  const [open, closed] = [all.filter(isOpen), all.filter((one) => !isOpen(one))];
  expect([reader.sum('openRequests', ''), reader.sum('closedRequests', '')]).toEqual([total(open), total(closed)]);
  for (const project of ['a', 'b', 'nobody has this one']) {
    const own = (requests: readonly ChangeRequest[]) => total(requests.filter((one) => one.project === project));
    expect(reader.sum('openRequestsByProject', project)).toBe(own(open));
    expect(reader.sum('closedRequestsByProject', project)).toBe(own(closed));
  }
}

describe('the sum of an index', () => {
  it('is the total weight of its entities: in drafts, after a commit applied at once, and at every step of a staged one', async () => {
    await fc.assert(
      fc.asyncProperty(commits, async (history) => {
        const [applied, staged] = [new State(), new State()];
        for (const one of history) {
          const changes: readonly Change[] = changesOf(applied, one);
          applied.apply(commitOf(applied, [...changes]));
          expectSums(applied);
          const steps = staged.stage(commitOf(staged, [...changes]));
          let step = steps.next();
          for (; !step.done; step = steps.next()) expectSums(staged);
          staged.publish(step.value);
          expectSums(staged);
          for (const _step of staged.settle()) expectSums(staged);
          expectSums(staged);
        }
        expectSums(await decodeSnapshot(encodeSnapshot(applied, SERVICE)));
      }),
      { numRuns: 50 },
    );
  });

  it('is 0 where the entities of the collection have no weight', () => {
    const state = new State();
    expect([state.sum('featuresByProject', 'default'), new Draft(state).sum('featuresByProject', 'default')]).toEqual([
      0, 0,
    ]);
  });
});
