/** A distinct value of a column, and the number of uses of it. */
interface Entry<Value> {
  readonly key: string;
  readonly value: Value;
  uses: number;
}

/** Numbers for distinct values. A value has a number while it is used; later, another value can get the same number. 0 is no number. */
export class Numbering<Value> {
  readonly #numbers = new Map<string, number>();
  readonly #entries: (Entry<Value> | undefined)[] = [undefined];
  readonly #free: number[] = [];

  /** All numbers are below this one. */
  get end(): number {
    return this.#entries.length;
  }

  numberOf(key: string): number | undefined {
    return this.#numbers.get(key);
  }

  valueOf(number: number): Value | undefined {
    return this.#entries[number]?.value;
  }

  /** The numbers that are in use, with their values. */
  *used(): Generator<[number: number, value: Value]> {
    for (const [number, entry] of this.#entries.entries()) if (entry) yield [number, entry.value];
  }

  /** Counts a use of the value with this key. `make` creates the value if it is new. */
  acquire(key: string, make: () => Value): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) {
      (this.#entries[known] as Entry<Value>).uses++;
      return known;
    }
    const number = this.#free.pop() ?? this.#entries.length;
    this.#entries[number] = { key, value: make(), uses: 1 };
    this.#numbers.set(key, number);
    return number;
  }

  isNumberOf(number: number, key: string): boolean {
    return this.#entries[number]?.key === key;
  }

  /** Ends a use. Returns the value if it was the last one. */
  release(number: number): Value | undefined {
    const entry = this.#entries[number];
    if (!entry || --entry.uses > 0) return undefined;
    this.#entries[number] = undefined;
    this.#numbers.delete(entry.key);
    this.#free.push(number);
    return entry.value;
  }
}

/** One value for each slot, stored as a number, because many flags have equal values. A filter decides once for each distinct value. */
export class ValueColumn<Value> {
  readonly distinct = new Numbering<Value>();
  /** Slot → number of its value; 0 if the slot is empty. */
  numbers = new Uint32Array(0);

  grow(capacity: number): void {
    this.numbers = grown(this.numbers, new Uint32Array(capacity));
  }

  /** Returns the value that is no longer used, if there is one. */
  set(slot: number, key: string, make: () => Value): Value | undefined {
    const before = this.numbers[slot] as number;
    if (this.distinct.isNumberOf(before, key)) return undefined;
    this.numbers[slot] = this.distinct.acquire(key, make);
    return this.distinct.release(before);
  }

  clear(slot: number): Value | undefined {
    const before = this.numbers[slot] as number;
    this.numbers[slot] = 0;
    return this.distinct.release(before);
  }
}

export function grown<Column extends Uint8Array | Uint32Array | Int32Array | Float64Array>(
  before: Column,
  after: Column,
): Column {
  after.set(before);
  return after;
}
