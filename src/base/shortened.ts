/**
 * The first `lengthMax` characters of a text, without half of one at their end. What it cuts stands alone: a slice keeps the whole text alive that it was
 * cut from (docs/decisions/decoding.md), so what callers write is kept as long as they wrote it. What is short enough is the text itself.
 */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const cut = text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '');
  return Buffer.from(cut).toString();
}
