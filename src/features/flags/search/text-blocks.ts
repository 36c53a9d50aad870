import type { Steps } from '../../../base/yield-control.ts';
import { type Feature, tagText } from '../../../model/feature.ts';

/** Number of consecutive slots whose texts are joined. */
export const BLOCK_SLOTS = 128;

/** Separates the parts of a text: name, description and tags. It also ends each text. */
const PART_END = '\n';

/** A search in the text of one flag costs as much as a search in this many characters of a block. */
const CHARS_PER_SEARCH = 200;

/** Characters that are searched in one step, which takes well under a millisecond. */
const STEP_CHARS = 500_000;

/** The texts of consecutive slots, joined. */
interface Block {
  /** Lower case. */
  readonly text: string;
  /** Where the text of each slot starts, and the end of the last one. */
  readonly starts: Uint32Array;
}

/** The texts of all flags. They are joined in blocks, because one search in a long text is faster than many searches in short texts. */
export class TextBlocks {
  readonly #features: readonly (Feature | undefined)[];
  readonly #blocks: (Block | undefined)[] = [];

  /** `features`: slot → flag. */
  constructor(features: readonly (Feature | undefined)[]) {
    this.#features = features;
  }

  /** The flag in the slot has changed: the next search joins the texts of its block again. */
  changed(slot: number): void {
    this.#blocks[Math.floor(slot / BLOCK_SLOTS)] = undefined;
  }

  /** Keeps the slots of the block at `start` whose flags contain one of the texts. Returns their number. */
  *filter(start: number, wanted: readonly string[], slots: Int32Array, count: number): Steps<number> {
    const index = start / BLOCK_SLOTS;
    const block = this.#blocks[index] ?? this.#join(start);
    this.#blocks[index] = block;
    const isLong = block.text.length * wanted.length > STEP_CHARS;
    const isFound = new Uint8Array(BLOCK_SLOTS);
    const few = count * CHARS_PER_SEARCH < block.text.length ? slots.subarray(0, count) : undefined;
    for (const text of wanted) {
      if (isLong) yield;
      if (text.includes(PART_END)) this.#searchParts(start, text, slots.subarray(0, count), isFound);
      else if (few) searchAlone(block, text, start, few, isFound);
      else searchBlock(block, text, isFound);
    }
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const slot = slots[at] as number;
      if (isFound[slot - start] === 1) slots[kept++] = slot;
    }
    return kept;
  }

  /** For a text that contains the separator, which may also be in a description. */
  #searchParts(start: number, text: string, slots: Int32Array, isFound: Uint8Array): void {
    for (const slot of slots) {
      const { name, description, tags } = this.#features[slot] as Feature;
      const parts = [name, description ?? '', ...tags.map(tagText)];
      if (parts.some((part) => part.toLowerCase().includes(text))) isFound[slot - start] = 1;
    }
  }

  #join(start: number): Block {
    const starts = new Uint32Array(BLOCK_SLOTS + 1);
    const texts: string[] = [];
    let length = 0;
    for (let index = 0; index < BLOCK_SLOTS; index++) {
      const feature = this.#features[start + index];
      const text = feature ? searchText(feature) : PART_END;
      texts.push(text);
      length += text.length;
      starts[index + 1] = length;
    }
    return { text: texts.join(''), starts };
  }
}

/** Always ends with the separator, so a text without it is found only in one part of one flag. */
function searchText({ name, description, tags }: Feature): string {
  const parts = tags.length === 0 ? '' : tags.map(tagText).join(PART_END) + PART_END;
  return `${name}${PART_END}${description ?? ''}${PART_END}${parts}`.toLowerCase();
}

function searchAlone(
  { text, starts }: Block,
  wanted: string,
  start: number,
  slots: Int32Array,
  isFound: Uint8Array,
): void {
  for (const slot of slots) {
    const at = slot - start;
    if (text.slice(starts[at], starts[at + 1]).includes(wanted)) isFound[at] = 1;
  }
}

function searchBlock({ text, starts }: Block, wanted: string, isFound: Uint8Array): void {
  let at = 0;
  for (let position = text.indexOf(wanted); position >= 0; position = text.indexOf(wanted, starts[at])) {
    while ((starts[at + 1] as number) <= position) at++;
    isFound[at++] = 1;
  }
}
