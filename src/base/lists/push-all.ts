/**
 * Adds the items at the end of the list. `list.push(...items)` would pass each item as an argument, and arguments are on the stack: above about 100,000
 * items it throws a RangeError.
 */
export function pushAll<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}
