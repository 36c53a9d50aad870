import { may } from '../../access/may.ts';
import { visibleProjects } from '../../access/visibility.ts';
import type { Clock } from '../../base/clock.ts';
import type { Channel, Frame } from '../../base/queues/channel.ts';
import type { Replica } from '../../engine/replica.ts';
import { type Caller, holderOf } from '../../model/caller.ts';
import type { State } from '../../state/state.ts';
import { Presence } from './presence.ts';
import { RecentChanges, type Sight } from './recent-changes.ts';

/** The streams of commits for the admin side: one channel for each user and each admin token with an open stream. */
export class ChangeStreams {
  readonly presence: Presence;
  readonly #state: State;
  readonly #recent: RecentChanges;
  readonly #channels = new Map<string, ChangeChannel>();
  readonly #listeners: (() => void)[] = [];

  constructor(replica: Replica, clock: Clock, commitsMax?: number) {
    this.presence = new Presence(clock, () => this.#notify());
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
      channel = new ChangeChannel(this.#recent, this.presence, this.#state, caller, () =>
        this.#channels.delete(holder),
      );
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
  readonly isHydrationSmall = true;
  readonly #recent: RecentChanges;
  readonly #presence: Presence;
  readonly #state: State;
  readonly #caller: Caller;

  constructor(recent: RecentChanges, presence: Presence, state: State, caller: Caller, closed: () => void) {
    this.#recent = recent;
    this.#presence = presence;
    this.#state = state;
    this.#caller = caller;
    this.closed = closed;
  }

  /** The position in the log, and the version of presence. Event ids contain only the position, because presence is lost at a restart. */
  get revision(): string {
    const { version } = this.#presence;
    return version === 0 ? this.#recent.position : `${this.#recent.position}~${version}`;
  }

  /** The caller's permissions are those at the time of the call: a withdrawn permission hides also commits from before it was withdrawn. */
  since(revision: string): Frame | null {
    const [position = '', version] = revision.split('~');
    const sight = sightOf(this.#state, this.#caller);
    const commits = this.#recent.since(position, sight);
    if (commits === null) return null;
    const present = this.#presence.since(version === undefined ? 0 : Number(version), this.#recent.position, sight);
    const bytes = present === '' ? commits.bytes : Buffer.concat([commits.bytes, Buffer.from(present)]);
    return { revision: this.revision, bytes };
  }

  /** The start of the stream. It contains nothing that only some callers may see: those events follow. */
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
