/** Returns a function that calls `make` once and returns this result every time. */
export function once<T>(make: () => T): () => T {
  let result: T | undefined;
  return () => {
    result ??= make();
    return result;
  };
}
