/** Seeds of the public client specification: rollouts and variants must not correlate. */
export const ROLLOUT_SEED = 0;
export const VARIANT_SEED = 86028157;

/** Rollout hashes are percentages: 1 to 100. */
export const ROLLOUT_BUCKETS = 100;

/**
 * murmur3_x86_32 in the middle of its input: the mixed state, the bytes that do not fill a word yet, and the count so far.
 * A flag's group is hashed once into such a state; an evaluation continues from it with the id only.
 */
export interface HashState {
  hash: number;
  word: number;
  wordBits: number;
  length: number;
}

export function hashState(seed: number): HashState {
  return { hash: seed | 0, word: 0, wordBits: 0, length: 0 };
}

/** Hashes `text` as UTF-8 (a lone surrogate as U+FFFD) into `state`, without allocating. */
export function absorb(state: HashState, text: string): void {
  let { hash, word, wordBits } = state;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) {
      state.hash = hash;
      state.word = word;
      state.wordBits = wordBits;
      state.length += index;
      absorbUnicode(state, text, index);
      return;
    }
    // ASCII, nearly always: one byte each, and the state stays in registers.
    word |= unit << wordBits;
    if (wordBits !== 24) wordBits += 8;
    else {
      hash = mixIn(hash, word);
      word = 0;
      wordBits = 0;
    }
  }
  state.hash = hash;
  state.word = word;
  state.wordBits = wordBits;
  state.length += text.length;
}

function absorbUnicode(state: HashState, text: string, from: number): void {
  for (let index = from; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) absorbByte(state, unit);
    else if (unit < 0x800) {
      absorbByte(state, 0xc0 | (unit >> 6));
      absorbByte(state, 0x80 | (unit & 0x3f));
    } else if (unit < 0xd800 || unit > 0xdfff) absorbThreeBytes(state, unit);
    else {
      const point = text.codePointAt(index) as number;
      if (point <= 0xffff) absorbThreeBytes(state, 0xfffd);
      else {
        absorbByte(state, 0xf0 | (point >> 18));
        absorbByte(state, 0x80 | ((point >> 12) & 0x3f));
        absorbByte(state, 0x80 | ((point >> 6) & 0x3f));
        absorbByte(state, 0x80 | (point & 0x3f));
        index++;
      }
    }
  }
}

function absorbThreeBytes(state: HashState, unit: number): void {
  absorbByte(state, 0xe0 | (unit >> 12));
  absorbByte(state, 0x80 | ((unit >> 6) & 0x3f));
  absorbByte(state, 0x80 | (unit & 0x3f));
}

function absorbByte(state: HashState, byte: number): void {
  const word = state.word | (byte << state.wordBits);
  state.length++;
  if (state.wordBits !== 24) {
    state.word = word;
    state.wordBits += 8;
    return;
  }
  state.hash = mixIn(state.hash, word);
  state.word = 0;
  state.wordBits = 0;
}

function mixIn(hash: number, word: number): number {
  const mixed = hash ^ mixWord(word);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

function mixWord(word: number): number {
  const scaled = Math.imul(word, 0xcc9e2d51);
  return Math.imul((scaled << 15) | (scaled >>> 17), 0x1b873593);
}

/** The unsigned 32-bit hash of everything absorbed; the state itself stays as it was. */
export function digest(state: HashState): number {
  let hash = state.hash;
  if (state.wordBits !== 0) hash ^= mixWord(state.word);
  hash ^= state.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The state every id of this group continues from. */
export function groupState(groupId: string, seed: number): HashState {
  const state = hashState(seed);
  absorb(state, groupId);
  absorb(state, ':');
  return state;
}

/** Evaluation is synchronous and never re-enters a hash, so one scratch state serves all. */
const scratch = hashState(0);

/** The bucket of `id` within a prepared group: 1 to `buckets`. */
export function bucketOf(group: HashState, id: string, buckets: number): number {
  scratch.hash = group.hash;
  scratch.word = group.word;
  scratch.wordBits = group.wordBits;
  scratch.length = group.length;
  absorb(scratch, id);
  return (digest(scratch) % buckets) + 1;
}
