import { QueryClient } from '@tanstack/react-query';
import { Failure } from './failure.ts';

/** Reads are repeated only if the server asks for it, or was not reached; other refusals do not change by asking again. */
const REPEATS = 3;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;

const isWorthRepeating = (error: Error) =>
  error instanceof Failure && (error.status === 0 || error.status === 429 || error.status === 503);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream of changes says what is old (live.ts). Without it, `staleTime` is lowered there.
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (count, error) => count < REPEATS && isWorthRepeating(error),
      retryDelay: (count, error) => {
        const wait =
          error instanceof Failure && error.retryAt !== null ? error.retryAt - Date.now() : FIRST_DELAY_MS * 2 ** count;
        return Math.min(Math.max(wait, 0), LONGEST_DELAY_MS);
      },
    },
  },
});

/** What a query has read, if anything: for what is not rendered. */
export const cached = <T>({
  queryKey,
}: {
  readonly queryKey: readonly unknown[];
  readonly queryFn: () => Promise<T>;
}) => queryClient.getQueryData<T>(queryKey);

/** After a deletion: leaves the page of what is gone before the list is read again, because the page would ask for it. */
export function leave(list: readonly unknown[], onLeave: (() => void) | undefined): void {
  onLeave?.();
  void queryClient.invalidateQueries({ queryKey: list });
}
