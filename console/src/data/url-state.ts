import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

/** One part of the query of the address. An empty value is left out of it. Changes of filters replace the entry of the history. */
export function useUrlState(name: string, fallback = ''): readonly [string, (value: string) => void] {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (value: string) =>
      setParams(
        () => {
          // The address itself: what the hook rendered last lacks what other parts have set since.
          const next = new URLSearchParams(location.search);
          if (value === '' || value === fallback) next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true },
      ),
    [setParams, name, fallback],
  );
  return [params.get(name) ?? fallback, set];
}

/** A part of the query that is a list. */
export function useUrlList(name: string): readonly [readonly string[], (values: readonly string[]) => void] {
  const [text, set] = useUrlState(name);
  const setList = useCallback((values: readonly string[]) => set(values.map(encodeURIComponent).join(',')), [set]);
  return [text === '' ? [] : text.split(',').map(decodeURIComponent), setList];
}

/** One thing of a list that a dialog is about. The address has its key, so that a link opens the dialog again. */
export function useUrlItem<T>(
  name: string,
  items: readonly T[] | undefined,
  keyOf: (item: T) => string | number,
): readonly [T | null, (item: T | null) => void] {
  const [text, set] = useUrlState(name);
  const setItem = useCallback((item: T | null) => set(item === null ? '' : String(keyOf(item))), [set, keyOf]);
  if (text === '') return [null, setItem];
  return [items?.find((item) => String(keyOf(item)) === text) ?? null, setItem];
}
