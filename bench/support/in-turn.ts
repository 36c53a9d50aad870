/** Runs each of the ways once per round, one after the other, in alternating order, because the load of the machine may change over time. */
export async function inTurn<Name extends string, T>(
  rounds: number,
  ways: Readonly<Record<Name, () => Promise<T>>>,
): Promise<readonly Readonly<Record<Name, T>>[]> {
  const names = Object.keys(ways) as Name[];
  const results: Record<Name, T>[] = [];
  for (let round = 0; round < rounds; round++) {
    const found = {} as Record<Name, T>;
    for (const name of round % 2 === 0 ? names : names.toReversed()) found[name] = await ways[name]();
    results.push(found);
  }
  return results;
}
