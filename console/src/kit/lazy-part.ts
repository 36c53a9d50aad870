import { type ComponentType, useSyncExternalStore } from 'react';

/** Parts of the kit that are loaded after the first view. All parts of a set come in one request. */
export interface LazySet<Parts> {
  /** Starts loading. Called when the browser is idle, and when the pointer or the focus comes near. */
  readonly load: () => void;
  /** The parts, or undefined until they are loaded. */
  readonly useParts: () => Parts | undefined;
}

/** Parts that are not needed by the first view. All of a set come in one request. */
export function lazySet<Parts extends Readonly<Record<string, ComponentType<never>>>>(
  request: () => Promise<Parts>,
): LazySet<Parts> {
  let parts: Parts | undefined;
  let isRequested = false;
  const listeners = new Set<() => void>();
  return {
    load: () => {
      if (isRequested) return;
      isRequested = true;
      request().then(
        (loaded) => {
          parts = loaded;
          for (const listener of listeners) listener();
        },
        () => {
          // Not reachable, or a new version is there: the next attempt asks again, and the shell says which it is.
          isRequested = false;
          dispatchEvent(new CustomEvent('burgee:chunk-failed'));
        },
      );
    },
    useParts: () =>
      useSyncExternalStore(
        (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        () => parts,
      ),
  };
}

/** Dialogs, menus and popovers. */
export const overlays = lazySet(async () => {
  const { LoadedDialog, LoadedMenu, LoadedPopover } = await import('./loaded/overlays.ts');
  return { LoadedDialog, LoadedMenu, LoadedPopover };
});

/** Selects and comboboxes. */
export const choices = lazySet(async () => {
  const { LoadedSelect, LoadedCombobox, LoadedMultiSelect } = await import('./loaded/choices.ts');
  return { LoadedSelect, LoadedCombobox, LoadedMultiSelect };
});

/** Loads what the first view left out. */
export function loadParts(): void {
  overlays.load();
  choices.load();
}
