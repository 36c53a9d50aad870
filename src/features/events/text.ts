import type { AuditEvent } from '../../model/event.ts';

/**
 * Tests whether an event tells of a text: in its type, in the name of who did it, or in its data written as JSON. Upper and lower case are the same.
 * A text with quotes is found as JSON has it (`"enabled":true`) and as people see it in a value.
 */
export function textMatcher(text: string): (event: Pick<AuditEvent, 'type' | 'createdBy' | 'data'>) => boolean {
  const plain = text.toLowerCase();
  const escaped = JSON.stringify(plain).slice(1, -1);
  return ({ type, createdBy, data }) => {
    if (type.includes(plain) || createdBy.toLowerCase().includes(plain)) return true;
    if (data === null || data === undefined) return false;
    const json = JSON.stringify(data).toLowerCase();
    return json.includes(plain) || (escaped !== plain && json.includes(escaped));
  };
}

/** What JSON has outside of its strings: whole words, numbers, and the signs between them. */
const SIGNS = /[[\]{},:]/;
const ONLY_OUTSIDE = /^[[\]{},:0-9.+\-aeflnrstu]*$/;
const NUMBER_PART = /^[+-]?\d*(\.\d*)?(e[+-]?\d*)?$/;
const WORDS = ['true', 'false', 'null'] as const;

/** Written in JSON otherwise than it is; but for quotes. */
const ESCAPED = /[\\\p{Cc}\p{Cs}]/u;

/** In lower case it depends on what follows. */
const SIGMA = /[σς]/;

/**
 * A part of the text, in lower case, that stands in an event's strings if the event tells of the text at all. So it stands in the bytes of an encoded
 * event, where it is looked for without decoding them. Undefined: there is none, as of numbers.
 *
 * Between two quotes of a JSON text is either nothing but the inside of one string, or nothing of any. So is a text without quotes.
 */
export function partInStrings(text: string): string | undefined {
  const plain = text.toLowerCase();
  if (ESCAPED.test(plain) || SIGMA.test(plain)) return undefined;
  let longest = '';
  for (const part of plain.split('"')) if (part.length > longest.length && isOfStrings(part)) longest = part;
  return longest === '' ? undefined : longest;
}

/** Whether it can only stand within a string of JSON. */
function isOfStrings(part: string): boolean {
  if (!ONLY_OUTSIDE.test(part)) return true;
  return !SIGNS.test(part) && !NUMBER_PART.test(part) && !WORDS.some((word) => word.includes(part));
}

const ASCII = /^[\0-\x7f]*$/;

/** Those that are ASCII in lower case alone, as UTF-8 that was taken for Latin-1 and put in lower case: the Kelvin sign and the I with a dot. */
const LATER_ASCII = ['â\u0084ª', 'ä°'] as const;

/** The places of the encoded events that may hold the part, in their order. `ends`: where each of them ends. */
export function* placesWith(part: string, bytes: Uint8Array, ends: readonly number[]): Generator<number, void, void> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!ASCII.test(part)) {
    // The bytes between strings are no beginning of a letter that the first one of a string would go on.
    let start = 0;
    for (const [place, end] of ends.entries()) {
      if (buffer.toString('utf8', start, end).toLowerCase().includes(part)) yield place;
      start = end;
    }
    return;
  }
  const all = buffer.toString('latin1').toLowerCase();
  if (LATER_ASCII.some((letter) => all.includes(letter))) {
    yield* ends.keys();
    return;
  }
  let place = 0;
  for (let at = all.indexOf(part); at >= 0; at = all.indexOf(part, ends[place++])) {
    while (at >= (ends[place] as number)) place++;
    yield place;
  }
}
