/**
 * The approximate size of a value in bytes: the number of its characters, and `valueBytes` for each value in it. It stops counting above `most`, and
 * then returns some number above `most`.
 */
export function weightOf(value: unknown, valueBytes: number, most: number): number {
  if (typeof value === 'string') return valueBytes + value.length;
  if (typeof value !== 'object' || value === null) return valueBytes;
  let bytes = valueBytes;
  // Lists are iterated by index, which is several times faster than by property name.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && bytes <= most; index++)
      bytes += weightOf(value[index], valueBytes, most - bytes);
    return bytes;
  }
  for (const name in value) {
    bytes += weightOf((value as Record<string, unknown>)[name], valueBytes, most - bytes);
    if (bytes > most) break;
  }
  return bytes;
}
