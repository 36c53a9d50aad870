import { may } from '../../access/may.ts';
import { visibleProjects } from '../../access/visibility.ts';
import type { Clock } from '../../base/clock.ts';
import type { Channel, Frame } from '../../base/queues/channel.ts';
import type { Replica } from '../../engine/replica.ts';
import { type Caller, holderOf } from '../../model/caller.ts';
import type { State } from '../../state/state.ts';
import { Presence } from './presence.ts';
import { RecentChanges, type Sight } from './recent-changes.ts';

/** What a stream sends of the index of flags (`features/flag-index/index-answers.ts`). */
interface FlagDifferences {
  follow(): void;
  /** What differs for the caller since the commit, as JSON: "" if nothing does, null if too much does. */
  streamed(caller: Caller, from: number, fields: 'details'): string;
}

/** The streams of commits for the admin side: one channel for each user and each admin token with an open stream, with and without flags. */
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

  /** The channel of the caller: all streams of one user or token use the same one. With `flags`, it also sends what differs in the index of flags. */
  channel(caller: Caller, flags?: FlagDifferences): Channel {
    const key = `${flags === undefined ? '' : 'flags '}${holderOf(caller)}`;
    let channel = this.#channels.get(key);
    if (channel === undefined) {
      flags?.follow();
      const sources = { recent: this.#recent, presence: this.presence, state: this.#state, flags };
      channel = new ChangeChannel(sources, caller, () => this.#channels.delete(key));
      this.#channels.set(key, channel);
    }
    return channel;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

interface Sources {
  readonly recent: RecentChanges;
  readonly presence: Presence;
  readonly state: State;
  readonly flags: FlagDifferences | undefined;
}

class ChangeChannel implements Channel {
  readonly closed: () => void;
  readonly isHydrationSmall = true;
  readonly #recent: RecentChanges;
  readonly #presence: Presence;
  readonly #state: State;
  readonly #flags: FlagDifferences | undefined;
  readonly #caller: Caller;

  constructor({ recent, presence, state, flags }: Sources, caller: Caller, closed: () => void) {
    this.#recent = recent;
    this.#presence = presence;
    this.#state = state;
    this.#flags = flags;
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
    const differences = this.#flags?.streamed(this.#caller, Number.parseInt(position, 10), 'details') ?? '';
    // Before the commits, so that who reads a commit has its flags. Without an id: a reader that gets only this event asks for the commits again.
    const flags = differences === '' ? '' : `event: flags\ndata: ${differences}\n\n`;
    const isShared = present === '' && flags === '';
    const bytes = isShared ? commits.bytes : Buffer.concat([Buffer.from(flags), commits.bytes, Buffer.from(present)]);
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
  return { isAll: visible.isAll, isAdmin, user: caller.user, has: (project) => visible.has(project) };
}
