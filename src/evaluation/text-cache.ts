/** Texts made from definitions, forgotten together when there are more than this. Characters. */
const CHARS_MAX = 32_000_000;

/** Keeps what was made of immutable definitions for as long as they live, but never more than fits. */
export class TextCache<Definition extends object, Texts> {
  #texts = new WeakMap<Definition, Texts>();
  #chars = 0;

  get(definition: Definition, make: (definition: Definition) => Texts): Texts {
    const known = this.#texts.get(definition);
    if (known !== undefined) return known;
    const made = make(definition);
    this.#chars += lengthOf(made);
    if (this.#chars > CHARS_MAX) {
      this.#texts = new WeakMap();
      this.#chars = lengthOf(made);
    }
    this.#texts.set(definition, made);
    return made;
  }
}

/** Characters in a text, or in all texts of a value. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let length = 0;
  for (const member of Object.values(value)) length += lengthOf(member);
  return length;
}
