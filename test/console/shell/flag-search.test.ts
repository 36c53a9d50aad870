import { describe, expect, it } from 'vitest';
import { inSlices, type Steps } from '../../../console/src/domain/steps.ts';
import { FlagSearch, type Matcher } from '../../../console/src/shell/palette/flag-search.ts';

const ROWS = 5_000;
const MAX = 30;

/** Counts what a search reads. */
class Reads {
  names = 0;
  texts = 0;
  readonly needles: string[] = [];

  readonly matcher: Matcher = {
    filter: (names, needle, among) => {
      this.names += among.length;
      if (this.needles.at(-1) !== needle) this.needles.push(needle);
      return among.filter((at) => needle.split(' ').every((word) => names[at]?.includes(word)));
    },
    rank: (_names, _needle, matching) => matching,
  };

  row(name: string, description = '') {
    const count = () => this.texts++;
    return {
      name,
      get text() {
        count();
        return `${name} ${description}`.toLowerCase();
      },
    };
  }
}

/** Runs to the end, with the names and texts of the longest step. */
function atOnce(reads: Reads, steps: Steps<readonly { readonly name: string }[]>) {
  reads.names = 0;
  reads.texts = 0;
  let [longest, before] = [0, 0];
  for (;;) {
    const { done, value } = steps.next();
    const all = reads.names + reads.texts;
    longest = Math.max(longest, all - before);
    before = all;
    if (done) return { found: value.map(({ name }) => name), longest };
  }
}

function searchOf(...special: readonly (readonly [name: string, description?: string])[]) {
  const reads = new Reads();
  const many = Array.from({ length: ROWS }, (_, index) => reads.row(`flag-${index}`, 'switches a thing on'));
  const rows = [...many, ...special.map(([name, description]) => reads.row(name, description))];
  const search = new FlagSearch(rows, reads.matcher);
  return { reads, rows, find: (text: string) => atOnce(reads, search.find(text, MAX)) };
}

describe('the search of the palette', () => {
  it('finds by name, then by all words of name and description, then by half of them', () => {
    const { find } = searchOf(
      ['checkout', 'the new way to pay'],
      ['payment', 'new checkout page'],
      ['invoice', 'paper'],
    );
    expect(find('checkout').found).toEqual(['checkout', 'payment']);
    expect(find('the new checkout').found).toEqual(['checkout', 'payment']);
    expect(find('paper planes').found).toEqual(['invoice']);
    expect(find('paper planes fly high').found).toEqual([]);
    expect(find('  ').found).toEqual([]);
  });

  it('reads each name once for one word, and each text once, although there are two thresholds', () => {
    const { reads, rows, find } = searchOf();
    expect(find('nowhere').found).toEqual([]);
    expect([reads.names, reads.texts]).toEqual([rows.length, rows.length]);
    find('the unknown');
    expect(reads.needles).toEqual(['nowhere', 'the unknown', 'unknown']);
    expect([reads.names, reads.texts]).toEqual([2 * rows.length, rows.length]);
  });

  it('uses eight words of a page that is pasted', () => {
    const { reads, find } = searchOf();
    find(Array.from({ length: 1_000 }, (_, index) => `word${index}`).join(' '));
    expect(reads.needles).toEqual(['word0 word1 word2 word3 word4 word5 word6 word7']);
  });

  it('can pause after a small part of the flags', () => {
    const { find } = searchOf(['checkout']);
    expect(find('a vague idea of checkouts').longest).toBeLessThan(1_000);
  });

  it('searches only what it has found while the text grows, and all flags after another change', () => {
    const { reads, rows, find } = searchOf(['checkout'], ['chess', 'a game']);
    expect(find('chec').found).toEqual(['checkout']);
    expect(find('checko').found).toEqual(['checkout']);
    expect([reads.names, reads.texts]).toEqual([1, 1]);
    expect(find('chess').found).toEqual(['chess']);
    expect(reads.names).toBe(rows.length);
    expect(find('game').found).toEqual(['chess']);
  });

  it('ends when its signal says so', async () => {
    const { reads, rows } = searchOf();
    const stop = new AbortController();
    stop.abort();
    const search = new FlagSearch(rows, reads.matcher);
    expect(await inSlices(search.find('thing', MAX), stop.signal)).toBeUndefined();
    expect(await inSlices(search.find('thing', MAX), new AbortController().signal)).toHaveLength(MAX);
  });
});
