import { useSyncExternalStore } from 'react';

/** What a person chose: the system's theme, or one of the two. */
export type Theme = 'system' | 'light' | 'dark';
/** How high rows and controls are. */
export type Density = 'comfortable' | 'compact';

/**
 * A choice that this browser keeps and that the page has as an attribute, except for the usual one. A browser that forbids storage has the usual one, or
 * the one chosen since the page was loaded.
 */
function choiceOf<Choice extends string>(name: string, usual: Choice, others: readonly Choice[]) {
  const key = `burgee.${name}`;
  const listeners = new Set<() => void>();
  let chosen: Choice | undefined;
  const get = (): Choice => {
    if (chosen === undefined) {
      let stored: string | null = null;
      try {
        stored = localStorage.getItem(key);
      } catch {}
      chosen = others.find((one) => one === stored) ?? usual;
    }
    return chosen;
  };
  const apply = () => {
    if (get() === usual) document.documentElement.removeAttribute(`data-${name}`);
    else document.documentElement.setAttribute(`data-${name}`, get());
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    apply,
    choose(next: Choice): void {
      chosen = next;
      try {
        if (next === usual) localStorage.removeItem(key);
        else localStorage.setItem(key, next);
      } catch {}
      apply();
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}

const theme = choiceOf<Theme>('theme', 'system', ['light', 'dark']);
const density = choiceOf<Density>('density', 'comfortable', ['compact']);

export const { choose: chooseTheme, use: useTheme } = theme;
export const { choose: chooseDensity, use: useDensity } = density;

/** Sets what was chosen on the page. Called before the first render. */
export function applyTheme(): void {
  theme.apply();
  density.apply();
}
