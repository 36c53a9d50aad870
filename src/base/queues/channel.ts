/** Bytes that update a subscriber to a revision. They are immutable, and all subscribers that need them share them. */
export interface Frame {
  /** The revision of the subscriber after the frame. */
  readonly revision: string;
  /** A small part that is sent before `bytes` and is only for this subscriber. */
  readonly head?: Uint8Array;
  /** Complete events as they are sent. After a `head`, `bytes` starts with the rest of the event that the head begins. */
  readonly bytes: Uint8Array;
  /** Called after all bytes were sent. If the subscriber disconnects before that, `Channel.closed` is called instead. */
  readonly release?: () => void;
}

/**
 * The source of the frames for the subscribers of one scope. All subscribers with the same channel object get the same bytes. A revision is an opaque
 * text; equal revisions mean equal contents, on every replica and after every restart.
 *
 * A view implements this interface; the code in `http` has the connections. The channel does not send anything itself: the code that changes it calls
 * `changed` (see `SubscribedEndpoint.follow`). All changes until the next call of `since` make one frame.
 */
export interface Channel {
  /** The current revision. A subscriber that is up to date has it. */
  readonly revision: string;
  /**
   * The changes from `revision` to the current revision; null when they are not known, because the revision is too old or of another epoch, or
   * because too much has changed. The caller never passes the current revision. The function is synchronous, because the channel stores its changes
   * and does not search for them.
   */
  since(revision: string): Frame | null;
  /**
   * The complete content, for a subscriber without a revision or with a revision that is too old. A promise if the content must be built first. The
   * promise resolves with null if `since` knows the changes by then, so that subscribers ask it again.
   */
  hydration(): Frame | Promise<Frame | null>;
  /** True if the channel has a single subscriber: it caches nothing for other subscribers, and knows which content its reader already has. */
  readonly isOwn?: boolean;
  /** True if `hydration` is cheap: each subscriber gets a new one, and so begins at the current revision. */
  readonly isHydrationSmall?: boolean;
  /** True if subscribers answer a frame with a request: the frames for a crowd of them are spread over time (`http/streams/crowd.ts`). */
  readonly isAnswered?: boolean;
  /**
   * A complete event without an id, which is not a part of the content: each subscriber gets it once, soon after it has the current content. Another
   * object is another notice.
   */
  readonly notice?: Uint8Array | undefined;
  /** Called when the last subscriber has disconnected, or when the only subscriber was refused. */
  closed?(): void;
}
