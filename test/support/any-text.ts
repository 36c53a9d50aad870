import fc from 'fast-check';

/** Every code point but the halves of pairs, which are no characters alone. */
const character = fc
  .nat(0x10_ffff - 0x800)
  .map((place) => String.fromCodePoint(place < 0xd800 ? place : place + 0x800));

/** Texts of any characters. As `fc.string({ unit: 'binary' })`, which first fills a table of all characters: that takes a second in every process. */
export const anyText = (constraints: { readonly maxLength?: number } = {}) =>
  fc.array(character, constraints).map((characters) => characters.join(''));
