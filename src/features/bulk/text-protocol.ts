/** Encoded audit events for a thread, concatenated, and the text to search for. */
export interface TextTask {
  /** Transferred to the thread. */
  readonly bytes: Uint8Array;
  /** For each event, the position in `bytes` after its last byte. */
  readonly ends: readonly number[];
  /** Not empty. Case does not matter. */
  readonly text: string;
}

/** The positions, in the task, of the events that contain the text. */
export type TextResult = readonly number[];
