/** The React keys of rows by the rows' own keys, in the order of the document. */
export type Slots = ReadonlyMap<string, number>;

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
