export interface Group<Item> {
  readonly name: string;
  readonly items: Item[];
}

/** Items that follow each other and have the same name, together. */
export function inGroups<Item>(items: readonly Item[], nameOf: (item: Item) => string): readonly Group<Item>[] {
  const groups: Group<Item>[] = [];
  for (const item of items) {
    const name = nameOf(item);
    const last = groups.at(-1);
    if (last?.name === name) last.items.push(item);
    else groups.push({ name, items: [item] });
  }
  return groups;
}
