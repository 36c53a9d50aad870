/** The React keys of rows by the rows' own keys, in the order of the document. */
export type Slots = ReadonlyMap<string, number>;

/**
 * Slots of the keys, in their order; `before` has those of the rows in the document, in its order. No other row gets the element of the row `held`, which
 * may have the focus or an open menu.
 */
export function assignSlots(before: Slots, keys: readonly string[], held: string | undefined): Slots {
  const coming = new Set(keys);
  const old = [...before].filter(([key]) => key !== held || coming.has(key));
  const places = new Map(old.map(([key], place) => [key, place]));
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
