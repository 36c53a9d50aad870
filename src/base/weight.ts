/**
 * The approximate size of a value in bytes: the number of its characters, and `valueBytes` for each value in it. It stops counting above `bytesMax`,
 * and then returns some number above `bytesMax`.
 */
export function weightOf(value: unknown, valueBytes: number, bytesMax: number): number {
  if (typeof value === 'string') return valueBytes + value.length;
  if (typeof value !== 'object' || value === null) return valueBytes;
  let bytes = valueBytes;
  // Lists are iterated by index, which is several times faster than by property name.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && bytes <= bytesMax; index++)
      bytes += weightOf(value[index], valueBytes, bytesMax - bytes);
    return bytes;
  }
  for (const name in value) {
    bytes += weightOf((value as Record<string, unknown>)[name], valueBytes, bytesMax - bytes);
    if (bytes > bytesMax) break;
  }
  return bytes;
}
