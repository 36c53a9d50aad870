import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { isReached, untilReached } from './client.ts';
import { loadEnded, loadStarted } from './first-view.ts';
import { createStore } from './store.ts';

/** True after a part of the program could not be loaded, because the server has a newer version without it. */
export const newVersion = createStore(false);

/** What cannot be loaded from a server that answers belongs to an older version. */
async function notice(): Promise<void> {
  if (await isReached()) newVersion.set(true);
}

/** Loads a part of the program. While the server cannot be reached, which the shell says, it waits. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      await notice();
      if (newVersion.get()) throw error;
      await untilReached();
    }
  }
}

/** `lazy` for a part that a module exports under this name. One that is gone shows "a new version is here" in place of an error page. */
export function lazyScreen<P extends object, Name extends string>(
  load: () => Promise<{ readonly [K in Name]: ComponentType<P> }>,
  name: Name,
): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => {
    loadStarted();
    try {
      return { default: (await loadPart(load))[name] };
    } finally {
      loadEnded();
    }
  });
}

window.addEventListener('vite:preloadError', () => void notice());
window.addEventListener('burgee:chunk-failed', () => void notice());
