import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { requestEnded, requestStarted } from './first-view.ts';
import { createStore } from './store.ts';

/** True after a part of the program could not be loaded, because the server has a newer version without it. */
export const newVersion = createStore(false);

/** `lazy` for a part that a module exports under this name. One that is gone shows "a new version is here" in place of an error page. */
export function lazyScreen<P extends object, Name extends string>(
  load: () => Promise<{ readonly [K in Name]: ComponentType<P> }>,
  name: Name,
): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => {
    requestStarted();
    try {
      return { default: (await load())[name] };
    } catch (error) {
      newVersion.set(true);
      throw error;
    } finally {
      requestEnded();
    }
  });
}

window.addEventListener('vite:preloadError', () => newVersion.set(true));
window.addEventListener('burgee:chunk-failed', () => newVersion.set(true));
