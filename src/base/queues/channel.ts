/** Bytes that bring a subscriber to a revision. Shared by all subscribers that need them: they never change. */
export interface Frame {
  /** Where they bring to. */
  readonly revision: string;
  /** Sent before the others: what is this subscriber's alone. Small. */
  readonly head?: Uint8Array;
  /** Whole events, or what is left of one behind `head`, as they are sent. */
  readonly bytes: Uint8Array;
  /** Called once all of them were sent. `Channel.closed` is called for a subscriber that leaves before that. */
  readonly release?: () => void;
}

/**
 * What all subscribers of one scope are sent. One object a scope: subscribers with the same object are one set of connections, and is sent
 * the same bytes. Revisions are opaque; equal ones are equal contents, across replicas and restarts.
 *
 * A view implements this; `http` has the connections. The channel sends nothing by itself: the code that changes it calls `changed` (see
 * `SubscribedEndpoint.follow`), and everything that happened until the channel is asked is one frame.
 */
export interface Channel {
  /** The revision of a subscriber that has everything. */
  readonly revision: string;
  /**
   * From `revision` to the newest; null when it is not known what happened since: too long ago, too much, or another history. Never asked from
   * the newest one. At once, because what changed is remembered, not searched.
   */
  since(revision: string): Frame | null;
  /** Everything, at some revision: for a subscriber that has nothing, or a state that is too old. A promise when it must be built first. */
  hydration(): Frame | Promise<Frame>;
  /** The channel has a single subscriber: it caches nothing for others, and it knows what its reader already has. */
  readonly isOwn?: boolean;
  /** Its last subscriber has left, or was never let in. */
  closed?(): void;
}
