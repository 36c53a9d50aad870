import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/** Any character of Unicode. fast-check's own unit for them, `binary`, keeps a table of all of them: a second of processor time, and 130 MB until the process ends. */
export const ANY_CHARACTER = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES));
