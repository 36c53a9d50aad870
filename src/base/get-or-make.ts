/** The value of the key in the map. If it has none, `make` creates it and it is added. */
export function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** A `make` function for maps inside of a map. */
export function newMap<Key, Value>(): Map<Key, Value> {
  return new Map();
}
