import { BASE_PATH } from '../base-path.ts';
import { createStore } from './store.ts';

/** How far a commit has come, as `GET /api/admin/propagation` reports it. */
export interface Delivery {
  readonly revision: number;
  readonly concerned: number;
  readonly have: number;
  readonly unknown: number;
  readonly share: number;
  /** Null until an SDK has it. */
  readonly tookMs: { readonly p50: number; readonly p99: number; readonly last: number } | null;
  readonly slowest: { readonly appName: string; readonly environment: string; readonly tookMs: number | null } | null;
  readonly final: boolean;
}

export interface Receipt {
  /** What was saved, as plain text. */
  readonly text: string;
  readonly revisions: readonly number[];
  /** Of the newest revision; null until the stream reports it, or if SDKs see nothing of the change. */
  readonly delivery: Delivery | null;
  /** The service ended the stream, or refused it: the delivery is not reported any more. */
  readonly isLost: boolean;
  /** Of an undo: why parts stay as they are. */
  readonly left: readonly string[];
}

/** Whether SDKs still lack the change, or an undo left something as it is. Where SDKs see nothing of a change, no delivery is reported. */
export const isIncomplete = ({ delivery, isLost, left }: Receipt) =>
  left.length > 0 || (!isLost && delivery !== null && delivery.have < delivery.concerned);

/** The receipt of what was saved last. */
export const receipt = createStore<Receipt | null>(null);

let source: EventSource | null = null;

function stop(): void {
  source?.close();
  source = null;
}

/** Follows the stream only while a receipt is shown: it is not needed otherwise. */
function follow(revision: number): void {
  stop();
  const own = new EventSource(`${BASE_PATH}/api/admin/propagation`);
  source = own;
  const change = (changed: Partial<Receipt>) =>
    receipt.set((before) => (before?.revisions.at(-1) === revision ? { ...before, ...changed } : before));
  // A broken connection is opened again by the browser; a refused one is not.
  own.addEventListener('error', () => {
    if (own.readyState === EventSource.CLOSED) change({ isLost: true });
  });
  own.addEventListener('commit', (event) => {
    const delivery = JSON.parse((event as MessageEvent<string>).data) as Delivery;
    if (delivery.revision !== revision) return;
    change({ delivery });
    if (delivery.final) stop();
  });
}

export function showReceipt(text: string, revisions: readonly number[], left: readonly string[] = []): void {
  const last = revisions.at(-1);
  if (last === undefined) return;
  receipt.set({ text, revisions, delivery: null, isLost: false, left });
  follow(last);
}

export function closeReceipt(): void {
  stop();
  receipt.set(null);
}
