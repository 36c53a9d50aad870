import { useSyncExternalStore } from 'react';

/** What a person chose: the system's theme, or one of the two. Kept by this browser. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'burgee.theme';
const listeners = new Set<() => void>();

/** A browser that forbids storage has the system's theme, or the one chosen since the page was loaded. */
let chosen: Theme | undefined;

function theme(): Theme {
  if (chosen === undefined) {
    let stored: string | null = null;
    try {
      stored = localStorage.getItem(KEY);
    } catch {}
    chosen = stored === 'light' || stored === 'dark' ? stored : 'system';
  }
  return chosen;
}

/** Sets the theme on the page. Called before the first render. */
export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (theme() === 'system') delete dataset.theme;
  else dataset.theme = theme();
}

export function chooseTheme(next: Theme): void {
  chosen = next;
  try {
    if (next === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch {}
  applyTheme();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, theme);
}
