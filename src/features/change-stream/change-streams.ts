import { may } from '../../access/may.ts';
import { visibleProjects } from '../../access/visibility.ts';
import type { Channel, Frame } from '../../base/queues/channel.ts';
import type { Replica } from '../../engine/replica.ts';
import { type Caller, holderOf } from '../../model/caller.ts';
import type { State } from '../../state/state.ts';
import { RecentChanges, type Sight } from './recent-changes.ts';

/** The streams of commits for the admin side: one channel for each user and each admin token with an open stream. */
export class ChangeStreams {
  readonly #state: State;
  readonly #recent: RecentChanges;
  readonly #channels = new Map<string, ChangeChannel>();
  readonly #listeners: (() => void)[] = [];

  constructor(replica: Replica, commitsMax?: number) {
    this.#state = replica.state;
    this.#recent = new RecentChanges(replica.state, commitsMax);
    replica.onApplied((applied) => {
      this.#recent.add(applied);
      this.#notify();
    });
    replica.onReplaced(() => {
      this.#recent.restart();
      this.#notify();
    });
  }

  /** Registers a listener that is called when streams have new data. */
  onChanged(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The channel of the caller. All streams of one user or token use the same channel. */
  channel(caller: Caller): Channel {
    const holder = holderOf(caller);
    let channel = this.#channels.get(holder);
    if (channel === undefined) {
      channel = new ChangeChannel(this.#recent, this.#state, caller, () => this.#channels.delete(holder));
      this.#channels.set(holder, channel);
    }
    return channel;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

class ChangeChannel implements Channel {
  readonly closed: () => void;
  readonly #recent: RecentChanges;
  readonly #state: State;
  readonly #caller: Caller;

  constructor(recent: RecentChanges, state: State, caller: Caller, closed: () => void) {
    this.#recent = recent;
    this.#state = state;
    this.#caller = caller;
    this.closed = closed;
  }

  get revision(): string {
    return this.#recent.position;
  }

  /** The caller's permissions are those at the time of the call: a withdrawn permission hides also commits from before it was withdrawn. */
  since(revision: string): Frame | null {
    return this.#recent.since(revision, sightOf(this.#state, this.#caller));
  }

  /** The start of the stream. It contains no lists: the client reads them from the other paths. */
  hydration(): Frame {
    const { position } = this.#recent;
    const data = JSON.stringify({ revision: this.#state.seq });
    return { revision: position, bytes: Buffer.from(`event: connected\nid: ${position}\ndata: ${data}\n\n`) };
  }
}

function sightOf(state: State, caller: Caller): Sight {
  const visible = visibleProjects(state, caller);
  const isAdmin = may(state, caller, 'ADMIN', null, null);
  return { isAll: visible.isAll, isAdmin, has: (project) => visible.has(project) };
}
