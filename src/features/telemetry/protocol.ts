import type { WriteNote } from '../../http/observed-writes.ts';

/** Where and how the thread sends. */
export interface Target {
  /** Whole address. */
  readonly url: string;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Attributes of this process, such as `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
}

export type TelemetryTask =
  | {
      readonly kind: 'metrics';
      readonly target: Target;
      /** The page of all metrics, as Prometheus reads it. */
      readonly page: string;
      readonly processStartMs: number;
      readonly nowMs: number;
    }
  | { readonly kind: 'traces'; readonly target: Target; readonly writes: readonly WriteNote[] };

/** Null: the collector has everything. Otherwise why it does not; without any text of the collector. */
export type TelemetryResult = string | null;
