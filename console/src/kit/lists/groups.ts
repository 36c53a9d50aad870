export interface Group<Item> {
  /** Different for groups of the same name. */
  readonly key: string;
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
    else groups.push({ key: `${name} ${groups.filter((group) => group.name === name).length}`, name, items: [item] });
  }
  return groups;
}
