export interface Pair<T> {
  readonly ours: T;
  readonly floor: T;
}

/** Both, one after the other, in alternating order: what else the machine does may fade or grow. */
export async function inTurn<T>(
  rounds: number,
  ours: () => Promise<T>,
  floor: () => Promise<T>,
): Promise<readonly Pair<T>[]> {
  const pairs: Pair<T>[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = round % 2 === 0 ? undefined : await floor();
    const ownRound = await ours();
    pairs.push({ ours: ownRound, floor: before ?? (await floor()) });
  }
  return pairs;
}
