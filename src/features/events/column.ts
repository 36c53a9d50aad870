/** Events in one chunk. Even if all their values differ, the numbers of these values and of null fit into 16 bits. */
export const CHUNK_EVENTS = 2 ** 16 - 1;

/**
 * One field of the events of a chunk. Each distinct value is stored once, and each event has the number of its value. The number 0 is null: no value,
 * or no event. A column needs 2 bytes per event and about 100 bytes per distinct value. The memory of the values is freed with the column.
 */
export class Column<T> {
  readonly #numbers = new Uint16Array(CHUNK_EVENTS);
  readonly #values: (T | null)[] = [null];
  readonly #numberOf = new Map<T | null, number>([[null, 0]]);

  set(slot: number, value: T | null): void {
    let number = this.#numberOf.get(value);
    if (number === undefined) {
      number = this.#values.length;
      this.#values.push(value);
      this.#numberOf.set(value, number);
    }
    this.#numbers[slot] = number;
  }

  at(slot: number): T | null {
    return this.#values[this.#numbers[slot] as number] as T | null;
  }

  /** The number of the value in the slot; 0 is null. */
  numberAt(slot: number): number {
    return this.#numbers[slot] as number;
  }

  /** How many numbers the values have, with that of null. */
  get distinctCount(): number {
    return this.#values.length;
  }

  /** For each number: 1 if its value is one of these, 0 otherwise. Undefined: 1 for every value but null. */
  marks(values: Iterable<T> | undefined): Uint8Array {
    const marks = new Uint8Array(this.#values.length);
    if (!values) return marks.fill(1, 1);
    for (const value of values) {
      const number = this.#numberOf.get(value);
      if (number !== undefined) marks[number] = 1;
    }
    return marks;
  }

  /** Each distinct value in the first `count` slots of the list, with the first slot that has it. */
  *distinct(slots: Uint16Array, count: number): Generator<readonly [value: T, slot: number], void, void> {
    const yielded = new Uint8Array(this.#values.length).fill(1, 0, 1);
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      const number = this.#numbers[slot] as number;
      if (yielded[number] === 1) continue;
      yielded[number] = 1;
      yield [this.#values[number] as T, slot];
    }
  }

  /** Of the first `count` slots of the list, keeps the slots that have one of the values, in the same order. Returns the number of kept slots. */
  keep(values: Iterable<T | null>, slots: Uint16Array, count: number): number {
    const wanted = new Uint8Array(this.#values.length);
    let knownValues = 0;
    for (const value of values) {
      const number = this.#numberOf.get(value);
      if (number === undefined) continue;
      wanted[number] = 1;
      knownValues++;
    }
    return knownValues === 0 ? 0 : this.#keep(wanted, slots, count);
  }

  /** Same as `keep`, for the values that `isWanted` accepts. It is called once for each distinct value. */
  keepWhere(isWanted: (value: T | null) => boolean, slots: Uint16Array, count: number): number {
    const wanted = Uint8Array.from(this.#values, (value) => (isWanted(value) ? 1 : 0));
    return this.#keep(wanted, slots, count);
  }

  /** Of the first `count` slots of the list, keeps the slots that have a value. Returns the number of kept slots. */
  keepPresent(slots: Uint16Array, count: number): number {
    return this.#keep(new Uint8Array(this.#values.length).fill(1, 1), slots, count);
  }

  #keep(wanted: Uint8Array, slots: Uint16Array, count: number): number {
    const numbers = this.#numbers;
    let keptCount = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      slots[keptCount] = slot;
      keptCount += wanted[numbers[slot] as number] as number;
    }
    return keptCount;
  }
}
