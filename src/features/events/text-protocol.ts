/** Encoded audit events for a thread, one behind the other, and what is looked for in them. */
export interface TextTask {
  /** Given away to the thread. */
  readonly bytes: Uint8Array;
  /** Where each event ends. */
  readonly ends: readonly number[];
  /** Not empty. Upper and lower case are the same. */
  readonly text: string;
}

/** The places, in the task, of the events that hold the text. */
export type TextResult = readonly number[];
