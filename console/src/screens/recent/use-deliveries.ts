import { useEffect, useState } from 'react';
import { BASE_PATH } from '../../base-path.ts';
import type { Delivery } from '../../data/receipts.ts';
import { withDelivery } from './bounded.ts';

const REOPEN_AFTER_MS = 15_000;

interface Deliveries {
  readonly byRevision: ReadonlyMap<number, Delivery>;
  /** The stream was refused: nothing is known until it is open again. */
  readonly isRefused: boolean;
}

/** How far the newest commits have come, as long as the screen is open. */
export function useDeliveries(): Deliveries {
  const [state, setState] = useState<Deliveries>({ byRevision: new Map(), isRefused: false });
  useEffect(() => {
    let source: EventSource | null = null;
    let reopen: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      source = new EventSource(`${BASE_PATH}/api/admin/propagation`);
      source.addEventListener('connected', () => setState({ byRevision: new Map(), isRefused: false }));
      source.addEventListener('commit', (event) => {
        const delivery = JSON.parse((event as MessageEvent<string>).data) as Delivery;
        setState(({ byRevision, isRefused }) => ({
          byRevision: withDelivery(byRevision, delivery),
          isRefused,
        }));
      });
      source.addEventListener('error', () => {
        // The browser reconnects by itself, except after an answer that is not a stream.
        if (source?.readyState !== EventSource.CLOSED) return;
        setState(({ byRevision }) => ({ byRevision, isRefused: true }));
        reopen = setTimeout(open, REOPEN_AFTER_MS);
      });
    };
    open();
    return () => {
      source?.close();
      clearTimeout(reopen);
    };
  }, []);
  return state;
}
