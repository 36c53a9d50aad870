/** What the map holds under the key; made and put there when it holds nothing. */
export function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** The same for a map in a map. */
export function newMap<Key, Value>(): Map<Key, Value> {
  return new Map();
}
