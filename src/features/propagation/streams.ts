import { visibleProjects } from '../../access/visibility.ts';
import { SERVICE } from '../../base/asking/asker.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Channel, Frame } from '../../base/queues/channel.ts';
import { Rejection } from '../../base/rejection.ts';
import { Slicer } from '../../base/yield-control.ts';
import { type Caller, holderOf } from '../../model/caller.ts';
import type { State } from '../../state/state.ts';
import { type Propagation, projectOf } from './propagation.ts';
import { SpreadView } from './spread-view.ts';

/** Minimum time between two counts. */
const COUNT_EVERY_MS = 250;
/** Without new receipts, connections are counted again after this time: some have ended, and other replicas have new receipts. */
const RECOUNT_MS = 1_000;

/** Maximum number of users and admin tokens with open streams. */
const CALLERS_MAX = 500;
const TOO_MANY = new Rejection('TooManyRequestsError', 'Too many callers follow the propagation of commits.', [], 5);

interface PropagationStreamsParts {
  readonly propagation: Propagation;
  readonly state: State;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The streams of the propagation of the newest commits. Callers who see the same projects share one view, so its connections are counted once. Nothing
 * is counted while no stream is open, or while all commits are final and no new one is made.
 */
export class PropagationStreams {
  readonly #parts: PropagationStreamsParts;
  readonly #channels = new Map<string, SpreadChannel>();
  readonly #views = new Map<string, SpreadView>();
  readonly #listeners: ((channel: Channel) => void)[] = [];
  readonly #stop = new AbortController();
  /** The projects that the remembered commits touched. */
  #projects: readonly string[] = [];
  #isRunning = false;
  #counted = { seq: -1, receipts: -1, atMs: Number.NEGATIVE_INFINITY };

  constructor(parts: PropagationStreamsParts) {
    this.#parts = parts;
  }

  /** Registers a listener that is called with each channel that has new data. */
  onChanged(listener: (channel: Channel) => void): void {
    this.#listeners.push(listener);
  }

  /** The channel of the caller: all streams of one user or token have the same one. A rejection if too many callers have streams. */
  channel(caller: Caller): Channel | Rejection {
    const holder = holderOf(caller);
    const known = this.#channels.get(holder);
    if (known) return known;
    if (this.#channels.size >= CALLERS_MAX) return TOO_MANY;
    const channel = new SpreadChannel(
      () => this.#viewOf(caller),
      () => this.#channels.delete(holder),
    );
    this.#channels.set(holder, channel);
    void this.#run();
    return channel;
  }

  /** Called when another state has replaced the current one: its revisions belong to another history. */
  reset(): void {
    this.#views.clear();
  }

  close(): void {
    this.#stop.abort();
  }

  /** The view of the projects that the caller may see now. */
  #viewOf(caller: Caller): SpreadView {
    const visible = visibleProjects(this.#parts.state, caller);
    const projects = visible.isAll ? null : this.#projects.filter((project) => visible.has(project));
    // No name of a project contains a slash.
    const key = projects?.join('/') ?? '*';
    let view = this.#views.get(key);
    if (!view) {
      view = new SpreadView(projects);
      this.#views.set(key, view);
    }
    return view;
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { clock, logger } = this.#parts;
    while (this.#channels.size > 0 && !this.#stop.signal.aborted) {
      try {
        if (this.#mustCount()) await this.#count();
      } catch (error) {
        logger.error({ err: error }, 'counting the SDKs that have the newest commits failed');
      }
      await clock.sleep(COUNT_EVERY_MS, this.#stop.signal);
    }
    this.#views.clear();
    this.#isRunning = false;
  }

  /** A commit can change the permissions of a caller, also if it changes nothing that SDKs see. */
  #mustCount(): boolean {
    const { propagation, state, clock } = this.#parts;
    const { seq, receipts, atMs } = this.#counted;
    const views = [...this.#views.values()];
    if (state.seq !== seq || this.#views.size === 0 || views.some(({ isCounted }) => !isCounted)) return true;
    const isDue = propagation.receipts !== receipts || clock.nowMs() - atMs >= RECOUNT_MS;
    return isDue && views.some(({ isFinal }) => !isFinal);
  }

  async #count(): Promise<void> {
    const { propagation, state, clock } = this.#parts;
    this.#counted = { seq: state.seq, receipts: propagation.receipts, atMs: clock.nowMs() };
    // Work of the service: all subscribers share the views.
    const slicer = Slicer.of(SERVICE);
    const projects = new Set<string>();
    for (const { touched } of propagation.newestTouches()) {
      for (const key of touched) projects.add(projectOf(key));
      if (slicer.spent) await slicer.pause();
    }
    this.#projects = [...projects].sort();
    const followers = new Map<SpreadView, SpreadChannel[]>();
    for (const channel of this.#channels.values()) {
      const view = channel.newestView();
      const channels = followers.get(view);
      if (channels) channels.push(channel);
      else followers.set(view, [channel]);
      if (slicer.spent) await slicer.pause();
    }
    for (const [key, view] of this.#views) if (!followers.has(view)) this.#views.delete(key);
    // One view after the other: a count needs megabytes, and requests that wait for a count have their turn in between.
    for (const [view, channels] of followers) {
      await propagation.countAlone(() => view.count(propagation, clock));
      for (const channel of channels) for (const listener of this.#listeners) listener(channel);
      if (this.#stop.signal.aborted) return;
    }
  }
}

/** What one caller is sent. If other projects become visible, or some are visible no more, the caller gets the commits again from the start. */
class SpreadChannel implements Channel {
  readonly closed: () => void;
  readonly isHydrationSmall = true;
  readonly #viewNow: () => SpreadView;
  #view: SpreadView;

  constructor(viewNow: () => SpreadView, closed: () => void) {
    this.#viewNow = viewNow;
    this.#view = viewNow();
    this.closed = closed;
  }

  get revision(): string {
    return this.#view.revision;
  }

  /** Determines the view again. */
  newestView(): SpreadView {
    this.#view = this.#viewNow();
    return this.#view;
  }

  /** The permissions are those at the time of the call. */
  since(revision: string): Frame | null {
    return this.newestView().since(revision);
  }

  hydration(): Frame {
    return this.newestView().start();
  }
}
