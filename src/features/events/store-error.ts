import { type Rejection, unavailable } from '../../base/rejection.ts';
import { StoreError } from '../../stores/store.ts';

/** The rejection of a request that reads events, if the error is a `StoreError`. Throws any other error again. */
export function rejectionOfStoreError(error: unknown): Rejection {
  if (error instanceof StoreError) return unavailable('The store cannot be read now. Try again.', 2);
  throw error;
}
