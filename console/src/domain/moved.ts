/** The list with one entry a place further up or down. */
export function moved<T>(list: readonly T[], index: number, by: 1 | -1): readonly T[] {
  const [one, other] = [list[index], list[index + by]];
  return one === undefined || other === undefined ? list : list.with(index, other).with(index + by, one);
}
