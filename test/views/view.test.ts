import { expect, it } from 'vitest';
import { SERVICE } from '../../src/base/asking/asker.ts';
import { Replica } from '../../src/engine/replica.ts';
import { encodeCommit } from '../../src/state/commit.ts';
import { encodeSnapshot } from '../../src/state/snapshot.ts';
import { State } from '../../src/state/state.ts';
import { MemoryBacking, MemoryStore } from '../../src/stores/memory/memory-store.ts';
import { keepInStep, type View } from '../../src/views/view.ts';
import { commitAt, writeHistory } from '../products/maintenance/histories.ts';

/** A view that records the calls to it. */
function recorder(name: string, notes: string[], meanwhile = async () => {}): View {
  const apply = (of: string) => (applied: { commit: { seq: number } }) => {
    notes.push(`${name} ${of} ${applied.commit.seq}`);
  };
  return {
    apply: apply('applies'),
    prepare: async (next) => {
      notes.push(`${name} prepares for ${next.seq}`);
      await meanwhile();
      return { apply: apply('prepared applies'), takeOver: () => void notes.push(`${name} takes over`) };
    },
  };
}

async function appendTo(store: MemoryStore, seq: number): Promise<void> {
  const commit = commitAt(seq, 0, 0);
  const entries = [{ seq, bytes: encodeCommit(commit) }];
  await store.append({ expectedTip: seq - 1, writeId: commit.writeId, entries, events: [] });
}

it('views run in their order: for each commit, and when another state replaces the live one', async () => {
  const backing = new MemoryBacking();
  const writing = new MemoryStore({ backing });
  await writing.open();
  await writeHistory(writing, { commits: 2 });
  const store = new MemoryStore({ backing });
  await store.open();
  const replica = new Replica(new State(), store);
  const notes: string[] = [];
  // A commit while the views prepare themselves: their successors get it.
  const meanwhile = () => appendTo(writing, 3);
  keepInStep(replica, [recorder('first', notes, meanwhile), recorder('second', notes)]);
  await replica.catchUp();
  expect(notes).toEqual(['first applies 1', 'second applies 1', 'first applies 2', 'second applies 2']);
  notes.length = 0;
  // The log is trimmed beyond the position of this replica: the replica must load a snapshot.
  const other = new Replica(new State(), writing);
  await other.catchUp();
  await writing.saveSnapshot(2, encodeSnapshot(other.state, SERVICE));
  await writing.trim(2);
  replica.distrust();
  await replica.catchUp();
  expect(notes).toEqual([
    'first prepares for 2',
    'second prepares for 2',
    'first prepared applies 3',
    'second prepared applies 3',
    'first takes over',
    'second takes over',
  ]);
  expect(replica.state.seq).toBe(3);
});
