import { type JsonBytes, MemberName } from '../../base/json-bytes.ts';
import { TextTable } from '../../base/text-table.ts';
import { type FlagCounts, timesOf } from '../usage/flag-counts.ts';

/** Names of flags and variants: each a text of 100 bytes that is found again by its bytes. */
const NAME_SLOTS = 8_192;
const NAME_LENGTH_MAX = 100;

const YES = new MemberName('yes');
const NO = new MemberName('no');
const VARIANTS = new MemberName('variants');

/** What a member of a flag's counts tells; as bits, so that what was seen is one number. */
export const COUNTED = { yes: 1, no: 2, variants: 4 } as const;

/** Reads what was counted of flags, where it stands in a report: by their names, or each in an object of its own. */
export class FlagReader {
  readonly names: TextTable;
  readonly #json: JsonBytes;
  /** What came behind each when it was met last: the next flag behind a flag, its first variant, and the next variant behind a variant. */
  readonly #nextFlag = new Uint16Array(NAME_SLOTS);
  readonly #firstVariant = new Uint16Array(NAME_SLOTS);
  readonly #nextVariant = new Uint16Array(NAME_SLOTS);
  /** The flag that was met last. */
  #last = 0;
  /** When a name was met last: as a flag, and as a variant. */
  readonly #asFlag = new Float64Array(NAME_SLOTS);
  readonly #asVariant = new Float64Array(NAME_SLOTS);
  /** Goes up with each object of which no name may come twice. */
  #objects = 0;

  constructor(json: JsonBytes) {
    this.#json = json;
    this.names = new TextTable(NAME_SLOTS, NAME_LENGTH_MAX, json);
  }

  /** Flags by name. */
  flags(counts: FlagCounts): void {
    const json = this.#json;
    if (!json.enter()) return;
    const [names, asFlag, next] = [this.names, this.#asFlag, this.#nextFlag];
    const object = ++this.#objects;
    do {
      const slot = json.name(names, next[this.#last] as number);
      this.#last = next[this.#last] = slot;
      // Later than this object began: the variants of its flags have numbers of their own.
      if ((asFlag[slot] as number) >= object) json.leave();
      asFlag[slot] = object;
      this.#flag(names.textOf(slot), counts);
    } while (json.more());
  }

  /** The name of a flag, where it is a value. */
  flagName(): string {
    const slot = this.#json.text(this.names, this.#nextFlag[this.#last] as number);
    this.#last = this.#nextFlag[this.#last] = slot;
    return this.names.textOf(slot);
  }

  /** Which of a flag's members stands here; 0 for none of them. */
  member(): number {
    const json = this.#json;
    const { word } = json;
    const name = word === YES.firstWord ? YES : word === NO.firstWord ? NO : VARIANTS;
    if (!json.is(name)) return 0;
    return name === YES ? COUNTED.yes : name === NO ? COUNTED.no : COUNTED.variants;
  }

  /** How often; null is never. */
  times(): number {
    const json = this.#json;
    return json.isNull() ? 0 : timesOf(json.number());
  }

  /** The variants of the flag that is added next. */
  variants(counts: FlagCounts): void {
    const json = this.#json;
    if (json.isNull() || !json.enter()) return;
    const [names, asVariant] = [this.names, this.#asVariant];
    const object = ++this.#objects;
    let next = this.#firstVariant;
    let last = this.#last;
    do {
      const slot = json.name(names, next[last] as number);
      last = next[last] = slot;
      next = this.#nextVariant;
      if (asVariant[slot] === object) json.leave();
      asVariant[slot] = object;
      counts.addVariant(names.textOf(slot), timesOf(json.number()));
    } while (json.more());
  }

  #flag(name: string, counts: FlagCounts): void {
    const json = this.#json;
    let yes = 0;
    let no = 0;
    let seen = 0;
    if (json.enter()) {
      do {
        const member = this.member();
        if (member === 0 || seen & member) json.leave();
        seen |= member;
        if (member === COUNTED.yes) yes = this.times();
        else if (member === COUNTED.no) no = this.times();
        else this.variants(counts);
      } while (json.more());
    }
    counts.add(name, yes, no);
  }
}
