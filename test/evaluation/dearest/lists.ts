import { SeededRandom } from '../../../bench/support/random.ts';
import type { Constraint } from '../../../src/model/constraint.ts';

/** Words of random letters: no algorithm can use their order. */
function words(count: number, length: number): string[] {
  const random = new SeededRandom(count);
  const letter = () => String.fromCharCode(97 + random.integer(26));
  return Array.from({ length: count }, () => Array.from({ length }, letter).join(''));
}

/** Constraints whose values are about the dearest to compile that the limits accept. */
export const DEAREST_LISTS: Readonly<Record<string, Constraint>> = {
  '24 long values to contain': { contextName: 'a', operator: 'STR_CONTAINS', values: words(24, 4_000) },
  '900 values to contain': { contextName: 'a', operator: 'STR_CONTAINS', values: words(900, 100) },
  '6,600 ranges of addresses': {
    contextName: 'a',
    operator: 'IN_CIDR',
    values: Array.from({ length: 6_600 }, (_, index) => `2001:db8:${index.toString(16)}::/48`),
  },
};
