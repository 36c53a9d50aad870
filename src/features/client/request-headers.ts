import type { ClientFormat } from '../../views/client/fragment.ts';

/** Maximum number of header texts whose meaning is cached. SDKs send only a few different texts; further texts are parsed on each request. */
const CACHED_MAX = 256;

/** Returns `read` with a cache for its results. */
function withCache<Meaning>(read: (text: string) => Meaning): (text: string) => Meaning {
  const meanings = new Map<string, Meaning>();
  return (text) => {
    let meaning = meanings.get(text);
    if (meaning === undefined) {
      meaning = read(text);
      if (meanings.size < CACHED_MAX) meanings.set(text, meaning);
    }
    return meaning;
  };
}

/** The format for a value of `Unleash-Client-Spec`: version 2 of the list from 4.2.0 on, otherwise version 1. */
export const clientFormat = withCache((text): ClientFormat => {
  const match = /^(\d{1,6})\.(\d{1,6})/.exec(text);
  if (!match) return 1;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > 4 || (major === 4 && minor >= 2) ? 2 : 1;
});

/** Returns a function that returns true if `Accept-Encoding` allows the coding with one of these names. */
function acceptsCoding(...names: readonly string[]): (text: string) => boolean {
  return withCache((text): boolean => {
    let isAnyCodingAccepted = false;
    for (const part of text.toLowerCase().split(',')) {
      const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim());
      const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
      if (names.includes(coding)) return !isRefused;
      if (coding === '*') isAnyCodingAccepted = !isRefused;
    }
    return isAnyCodingAccepted;
  });
}

export const acceptsGzip = acceptsCoding('gzip', 'x-gzip');
export const acceptsBrotli = acceptsCoding('br');
