import { createStore } from './store.ts';

/** The first view does not wait for more than this, such as for a request that is never answered. */
const LONGEST_MS = 30_000;
/** For browsers without `requestIdleCallback`. */
const IDLE_AFTER_MS = 100;

/** False until the first view has what it asks for, and is shown. What it does not show is asked for after that. */
export const isFirstViewShown = createStore(false);

let open = 0;

function show(): void {
  if (open === 0) isFirstViewShown.set(true);
}

export function loadStarted(): void {
  open++;
}

export function loadEnded(): void {
  open--;
  if (open > 0 || isFirstViewShown.get()) return;
  // The answer is rendered first, which can lead to other requests.
  requestAnimationFrame(() =>
    'requestIdleCallback' in window ? requestIdleCallback(show) : setTimeout(show, IDLE_AFTER_MS),
  );
}

setTimeout(() => isFirstViewShown.set(true), LONGEST_MS);

/** Calls at once if the first view is shown already. */
export function afterFirstView(run: () => void): void {
  if (isFirstViewShown.get()) {
    run();
    return;
  }
  const stop = isFirstViewShown.subscribe(() => {
    stop();
    run();
  });
}
