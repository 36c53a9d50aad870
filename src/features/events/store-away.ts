import { type Rejection, unavailable } from '../../base/rejection.ts';
import { StoreError } from '../../stores/store.ts';

/** The rejection for events while the store cannot be read. Rethrows any other error. */
export function storeAway(error: unknown): Rejection {
  if (error instanceof StoreError) return unavailable('The store cannot be read now.', 2);
  throw error;
}
