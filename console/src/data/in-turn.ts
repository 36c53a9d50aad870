/** A caller may read four past states at a time; two tabs, or a page and its playground, stay below that. */
const AT_ONCE = 2;
let reading = 0;
const waiting: (() => void)[] = [];

/** Reads when it is its turn. */
export async function inTurn<T>(readIt: () => Promise<T>): Promise<T> {
  if (reading >= AT_ONCE) await new Promise<void>((start) => waiting.push(start));
  else reading++;
  try {
    return await readIt();
  } finally {
    const next = waiting.shift();
    // The next one takes over the turn.
    if (next) next();
    else reading--;
  }
}
