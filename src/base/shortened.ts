/**
 * The first `lengthMax` characters of a text, without a lone surrogate at the end. A shortened text is a copy: a slice would keep the whole original
 * text, which may be very long, in memory (docs/decisions/decoding.md). A text that is short enough is returned unchanged.
 */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const cut = text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '');
  return Buffer.from(cut).toString();
}
