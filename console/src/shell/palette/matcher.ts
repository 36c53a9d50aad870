import uFuzzy from '@leeoniya/ufuzzy';
import type { Matcher } from './flag-search.ts';

const fuzzy = new uFuzzy({ intraMode: 0 });
/** Ranking reads each match closely. So many matches are no answer, whatever their order. */
const RANKED_MAX = 1000;

const termsOf = (needle: string) => fuzzy.split(needle);

/** Finds the terms in any order. A better match is one that begins with the text, then one that contains it. */
export const matcher: Matcher = {
  filter(names, needle, among) {
    const terms = termsOf(needle);
    let matching = terms.length === 0 ? [] : among;
    for (const term of terms) {
      if (matching.length === 0) break;
      matching = fuzzy.filter(names as string[], term, matching as number[]) ?? [];
    }
    return matching;
  },
  rank(names, needle, matching) {
    if (matching.length === 0 || matching.length > RANKED_MAX) return matching;
    // Without its punctuation, because a hyphen before a word would exclude it.
    const text = termsOf(needle).join(' ');
    const [indexes, info, order] = fuzzy.search(names as string[], text, 1, RANKED_MAX, matching as number[]);
    return info && order ? order.map((at) => info.idx[at] as number) : (indexes ?? []);
  },
};
