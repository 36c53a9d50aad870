import { useLayoutEffect, useRef } from 'react';

type Slots = ReadonlyMap<string, number>;

/**
 * The React keys of the rows in the document. A row that comes between the same rows as one that left gets its element: to change an element costs
 * the browser less than to make one, and a filter changes all rows at once. A row that stays keeps its element and its place, so that it keeps the focus.
 */
export function useSlots(keys: readonly string[]): Slots {
  const shown = useRef<Slots>(new Map());
  const slots = assignSlots(shown.current, keys);
  useLayoutEffect(() => {
    shown.current = slots;
  });
  return slots;
}

/** Slots of the keys, in their order; `before` has those of the rows in the document, in its order. */
export function assignSlots(before: Slots, keys: readonly string[]): Slots {
  const old = [...before];
  const places = new Map(old.map(([key], place) => [key, place]));
  const coming = new Set(keys);
  const isFree = (place: number) => place < old.length && !coming.has(old[place]?.[0] ?? '');
  const slots = new Map<string, number>();
  let at = 0;
  let fresh = Math.max(-1, ...before.values());
  for (const key of keys) {
    const place = places.get(key) ?? (isFree(at) ? at : undefined);
    slots.set(key, old[place ?? -1]?.[1] ?? ++fresh);
    if (place !== undefined) at = Math.max(at, place + 1);
  }
  return slots;
}
