import { assert } from '../base/assert.ts';
import { invalid, type Rejection } from '../base/rejection.ts';

/** The answer if the request states its length more than once, or as nothing: two parties could then disagree on where the next request begins. */
const AMBIGUOUS_LENGTH = invalid('The request has more than one content-length header, or one without a number.');

/** The answer to any other transfer-encoding: uWebSockets.js treats every transfer-encoding as `chunked`, but another party may not. */
const NOT_CHUNKED = invalid(
  'The only accepted transfer-encoding is chunked, and the request must have at most one transfer-encoding header.',
);

/** Whether two parties could disagree on where the refused request ends. If so, its connection must be closed. */
export function isEndUnclear(rejection: Rejection): boolean {
  return rejection === AMBIGUOUS_LENGTH || rejection === NOT_CHUNKED;
}

/** Headers that determine how a request is interpreted. If one occurs twice, two parties could see different requests. */
const SINGLE = [
  'authorization',
  'x-api-key',
  'content-type',
  'content-encoding',
  'host',
  'content-length',
  'transfer-encoding',
];

/** The same headers by the length of their names, which are all different: most other headers are excluded by their length alone. */
const SINGLE_BY_LENGTH: readonly (string | undefined)[] = (() => {
  const byLength = new Array<string | undefined>(32).fill(undefined);
  for (const name of SINGLE) {
    assert(byLength[name.length] === undefined, `another name is as long as ${name}`);
    byLength[name.length] = name;
  }
  return byLength;
})();

/**
 * The headers of a request as they were sent, and the problem with them, if any. A request has about a dozen headers and few are read, so an index
 * costs more than it saves.
 */
export class HeaderList {
  /** Characters of all names and values. */
  sizeChars = 0;
  /** Names and values: each name is followed by its value. */
  readonly #pairs: string[] = [];
  /** The headers of `SINGLE` that were added, as a bit set by the lengths of their names. */
  #present = 0;
  #repeated: string | undefined;
  #unclear: Rejection | undefined;

  /** Adds a header. `name` in lower case. */
  take(name: string, value: string): void {
    this.sizeChars += name.length + value.length;
    this.#pairs.push(name, value);
    if (SINGLE_BY_LENGTH[name.length] === name) this.#takeSingle(name, value);
  }

  /** The value of the last header with this name. */
  get(name: string): string | undefined {
    const pairs = this.#pairs;
    for (let at = pairs.length - 2; at >= 0; at -= 2) {
      const known = pairs[at] as string;
      if (known.length === name.length && known === name) return pairs[at + 1];
    }
    return undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Why the request is refused, if two parties could read its headers differently. */
  get problem(): Rejection | undefined {
    if (this.#unclear) return this.#unclear;
    return this.#repeated === undefined
      ? undefined
      : invalid(`The request has more than one ${this.#repeated} header.`);
  }

  #takeSingle(name: string, value: string): void {
    const bit = 1 << name.length;
    const isSecond = (this.#present & bit) !== 0;
    this.#present |= bit;
    if (name === 'transfer-encoding') {
      if (isSecond || value.toLowerCase() !== 'chunked') this.#unclear = NOT_CHUNKED;
    } else if (name === 'content-length' && (isSecond || value === '')) this.#unclear = AMBIGUOUS_LENGTH;
    else if (isSecond) this.#repeated = name;
  }
}
