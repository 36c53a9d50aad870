import { useCallback } from 'react';
import { useSearchParams } from 'wouter';
import { setInAddress } from './opened.ts';

/** One part of the query of the address, such as a filter. An empty value is left out of it. */
export function useUrlState(name: string, fallback = ''): readonly [string, (value: string) => void] {
  const [params] = useSearchParams();
  const set = useCallback(
    (value: string) => setInAddress({ [name]: value === fallback ? '' : value }),
    [name, fallback],
  );
  return [params.get(name) ?? fallback, set];
}

/** A part of the query that is a list. */
export function useUrlList(name: string): readonly [readonly string[], (values: readonly string[]) => void] {
  const [text, set] = useUrlState(name);
  const setList = useCallback((values: readonly string[]) => set(values.map(encodeURIComponent).join(',')), [set]);
  return [text === '' ? [] : text.split(',').map(decodeURIComponent), setList];
}
