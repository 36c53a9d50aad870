import { type Rejection, unavailable } from '../../base/rejection.ts';
import { StoreError } from '../../stores/store.ts';

/** Returns the result of `read`, or a rejection with this message while the store cannot be read. */
export async function readingStore<T>(
  read: () => Promise<T>,
  message = 'The store cannot be read now. Try again.',
): Promise<T | Rejection> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof StoreError) return unavailable(message, 2);
    throw error;
  }
}
