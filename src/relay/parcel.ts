/** A part of what is told upstream: sent as it is, until upstream has it. */
export interface Parcel {
  readonly id: string;
  readonly environment: string;
  readonly projects: readonly string[];
  /** JSON of a bulk report. */
  readonly body: string;
}
