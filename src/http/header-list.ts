import { assert } from '../base/assert.ts';
import { invalid, type Rejection } from '../base/rejection.ts';

/** The request's length is stated more than once: two parties could disagree on where the next request begins. */
const AMBIGUOUS_LENGTH = invalid('The request has more than one content-length header.');

/** uWS takes every transfer-encoding for `chunked`; another party may not. */
const NOT_CHUNKED = invalid('The only transfer-encoding that is understood is chunked, stated once.');

/** Whether two parties could disagree on where the refused request ends: its connection is closed then. */
export function isUnclear(rejection: Rejection): boolean {
  return rejection === AMBIGUOUS_LENGTH || rejection === NOT_CHUNKED;
}

/** Headers that decide how a request is read: two of them make two requests of one. */
const SINGLE = ['authorization', 'x-api-key', 'content-type', 'host', 'content-length', 'transfer-encoding'];

/** The same by their lengths, of which no two are the same: most headers are distinguished at no cost. */
const SINGLE_BY_LENGTH: readonly (string | undefined)[] = (() => {
  const byLength = new Array<string | undefined>(32).fill(undefined);
  for (const name of SINGLE) {
    assert(byLength[name.length] === undefined, `another name is as long as ${name}`);
    byLength[name.length] = name;
  }
  return byLength;
})();

/** The headers of a request, as they were sent, and what is wrong with them together. A request has a dozen, of which few are asked for: no index pays. */
export class HeaderList {
  /** Characters of all names and values. */
  sizeChars = 0;
  /** Each name before its value. */
  readonly #pairs: string[] = [];
  /** Those of `SINGLE` that were seen, by their lengths. */
  #seen = 0;
  #repeated: string | undefined;
  #unclear: Rejection | undefined;

  /** `name` in lower case. */
  take(name: string, value: string): void {
    this.sizeChars += name.length + value.length;
    this.#pairs.push(name, value);
    if (SINGLE_BY_LENGTH[name.length] === name) this.#takeSingle(name, value);
  }

  /** Of several of the name the last one. */
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
    const isSecond = (this.#seen & bit) !== 0;
    this.#seen |= bit;
    if (name === 'transfer-encoding') {
      if (isSecond || value.toLowerCase() !== 'chunked') this.#unclear = NOT_CHUNKED;
    } else if (isSecond && name === 'content-length') this.#unclear = AMBIGUOUS_LENGTH;
    else if (isSecond) this.#repeated = name;
  }
}
