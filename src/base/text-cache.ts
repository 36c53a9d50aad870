/** Maximum number of texts whose meaning is cached. Callers send only a few different texts; further texts are read on each request. */
const CACHED_MAX = 256;

/** Returns `read` with a cache for its results: for headers, which are the same in most requests. */
export function withTextCache<Meaning>(read: (text: string) => Meaning): (text: string) => Meaning {
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
