import { SERVICE } from '../../../src/base/asking/asker.ts';
import type { Author } from '../../../src/model/primitives.ts';
import { type Change, type Commit, encodeCommit, encodeEvent } from '../../../src/state/commit.ts';
import { encodeSnapshot } from '../../../src/state/snapshot.ts';
import { State } from '../../../src/state/state.ts';
import type { Store } from '../../../src/stores/store.ts';

const AT = '2026-01-01T00:00:00.000Z';
const BY: Author = { id: 1, name: 'somebody' };

interface HistoryOptions {
  readonly commits?: number;
  readonly eventsPerCommit?: number;
  /** Bytes of each event's data. */
  readonly eventBytes?: number;
  readonly snapshot?: boolean;
}

/** Writes a small history into an open, empty store: counters and events. */
export async function writeHistory(store: Store, options: HistoryOptions = {}): Promise<void> {
  const { commits = 3, eventsPerCommit = 2, eventBytes = 10, snapshot = false } = options;
  const state = new State();
  for (let seq = 1; seq <= commits; seq++) {
    const firstId = (seq - 1) * eventsPerCommit + 1;
    const commit = commitAt(seq, firstId, eventsPerCommit);
    const events = Array.from({ length: eventsPerCommit }, (_, index) => {
      const id = firstId + index;
      return { id, bytes: encodeEvent(eventOf(id, 'x'.repeat(eventBytes))) };
    });
    const entries = [{ seq, bytes: encodeCommit(commit) }];
    await store.append({ expectedTip: seq - 1, writeId: commit.writeId, entries, events });
    state.apply(commit);
  }
  if (!snapshot) return;
  await store.saveSnapshot(state.seq, encodeSnapshot(state, SERVICE));
  await store.trim(state.seq);
}

/** A commit with `count` events. */
export function commitAt(seq: number, firstId: number, count: number): Commit {
  const changes: Change[] = [{ collection: 'counters', key: `counter ${seq}`, entity: { value: seq } }];
  return { seq, writeId: `w${seq}`, at: AT, by: BY, changes, touched: [], events: { firstId, count } };
}

function eventOf(id: number, data: string): Parameters<typeof encodeEvent>[0] {
  return {
    id,
    type: 'setting-updated',
    createdAt: AT,
    createdBy: BY.name,
    createdByUserId: BY.id,
    environment: null,
    project: null,
    featureName: null,
    data,
    preData: null,
    tags: null,
  };
}
