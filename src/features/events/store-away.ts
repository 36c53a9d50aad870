import { type Rejection, unavailable } from '../../base/rejection.ts';
import { StoreError } from '../../stores/store.ts';

/** What is told while the store, which holds the events, cannot be read. Any other error is thrown on. */
export function storeAway(error: unknown): Rejection {
  if (error instanceof StoreError) return unavailable('The store cannot be read now.', 2);
  throw error;
}
