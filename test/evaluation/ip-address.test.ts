import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseIpv4, parseIpv6 } from '../../src/evaluation/ip-address.ts';
import { atDepth } from '../support/tiers/depth.ts';

const NOT_IPV4 = -1;

/** Texts that are addresses, or nearly. */
const piece = fc.constantFrom(
  ':',
  '::',
  '.',
  '0',
  '1',
  '12',
  '255',
  '256',
  '1.2.3.4',
  '1.2.3',
  'ffff',
  'A',
  'g',
  '12345',
  '',
);
const nearly = fc.array(piece, { maxLength: 16 }).map((pieces) => pieces.join(''));
const changed = fc
  .tuple(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(40), piece, fc.nat(2))
  .map(([text, at, put, removed]) => text.slice(0, at) + put + text.slice(at + removed));
const text = fc.oneof(fc.ipV4(), fc.ipV6(), nearly, changed);

it('the same texts are addresses as for Node', () => {
  fc.assert(
    fc.property(text, (tried) => {
      expect([tried, parseIpv6(tried, new Uint16Array(8))]).toEqual([tried, isIPv6(tried)]);
      expect([tried, parseIpv4(tried) !== NOT_IPV4]).toEqual([tried, isIPv4(tried)]);
    }),
    { numRuns: atDepth({ quick: 3_000, full: 100_000 }) },
  );
});
