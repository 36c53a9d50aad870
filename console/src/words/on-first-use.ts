/** A value that is costly to make and that the first view may not need, such as a format of `Intl`. */
export function onFirstUse<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
