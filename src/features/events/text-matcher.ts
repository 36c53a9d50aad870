import type { AuditEvent } from '../../model/event.ts';

type Searched = Pick<AuditEvent, 'type' | 'createdBy' | 'featureName' | 'project' | 'environment' | 'reason' | 'data'>;

/**
 * Tests whether an event contains a text: in its type, in the name of the user who caused it, in the names of its flag, project and environment, in its
 * reason, or in its data as JSON. Case does not matter. A text with quotes matches as JSON syntax (`"enabled":true`) and as part of a value.
 */
export function textMatcher(text: string): (event: Searched) => boolean {
  const plain = text.toLowerCase();
  const escaped = JSON.stringify(plain).slice(1, -1);
  const isIn = (field: string | null | undefined) => field?.toLowerCase().includes(plain) === true;
  return ({ type, createdBy, featureName, project, environment, reason, data }) => {
    if (type.includes(plain) || isIn(createdBy) || isIn(featureName) || isIn(project)) return true;
    if (isIn(environment) || isIn(reason)) return true;
    if (data === null || data === undefined) return false;
    const json = JSON.stringify(data).toLowerCase();
    return json.includes(plain) || (escaped !== plain && json.includes(escaped));
  };
}

/** The characters of JSON outside of strings: the literals true, false and null, numbers, and punctuation. */
const SIGNS = /[[\]{},:]/;
const ONLY_OUTSIDE = /^[[\]{},:0-9.+\-aeflnrstu]*$/;
const NUMBER_PART = /^[+-]?\d*(\.\d*)?(e[+-]?\d*)?$/;
const WORDS = ['true', 'false', 'null'] as const;

/** Characters that JSON escapes, except quotes. */
const ESCAPED = /[\\\p{Cc}\p{Cs}]/u;

/** The lower case of sigma depends on the next character. */
const SIGMA = /[σς]/;

/**
 * A part of the text, in lower case, that occurs in a string of every event that contains the text. The part then also occurs in the bytes of the
 * encoded event, which can be searched without decoding. Undefined if no such part exists, for instance if the text is a number.
 *
 * The characters between two neighbouring quotes of a JSON text are either all inside one string or all outside of strings. The same is true of a
 * text without quotes.
 */
export function partInStrings(text: string): string | undefined {
  const plain = text.toLowerCase();
  if (ESCAPED.test(plain) || SIGMA.test(plain)) return undefined;
  let longest = '';
  for (const part of plain.split('"')) if (part.length > longest.length && isOnlyInStrings(part)) longest = part;
  return longest === '' ? undefined : longest;
}

/** Whether the part can only occur inside a JSON string. */
function isOnlyInStrings(part: string): boolean {
  if (!ONLY_OUTSIDE.test(part)) return true;
  return !SIGNS.test(part) && !NUMBER_PART.test(part) && !WORDS.some((word) => word.includes(part));
}

const ASCII = /^[\0-\x7f]*$/;

/** The Kelvin sign and the dotted I, the two characters whose lower case contains ASCII: their UTF-8 bytes read as Latin-1, in lower case. */
const LOWERED_TO_ASCII = ['â\u0084ª', 'ä°'] as const;

/** The positions of the encoded events that may contain the part, in order. `ends`: where each event ends. */
export function* positionsWith(
  part: string,
  bytes: Uint8Array,
  ends: readonly number[],
): Generator<number, void, void> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!ASCII.test(part)) {
    // The bytes between strings cannot be the start of a character that continues in the next string.
    let start = 0;
    for (const [position, end] of ends.entries()) {
      if (buffer.toString('utf8', start, end).toLowerCase().includes(part)) yield position;
      start = end;
    }
    return;
  }
  const all = buffer.toString('latin1').toLowerCase();
  if (LOWERED_TO_ASCII.some((characters) => all.includes(characters))) {
    yield* ends.keys();
    return;
  }
  let position = 0;
  for (let at = all.indexOf(part); at >= 0; at = all.indexOf(part, ends[position++])) {
    while (at >= (ends[position] as number)) position++;
    yield position;
  }
}
