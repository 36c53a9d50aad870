/**
 * Whether `If-None-Match` contains the tag (`W/"…"`). The header may contain several tags, strong or weak, or `*`; `known` is "" when it is missing.
 */
export function namesTag(known: string, tag: string): boolean {
  if (known === '') return false;
  if (known === tag || known === '*') return true;
  const strong = tag.slice(2);
  return known.split(',').some((candidate) => {
    const trimmed = candidate.trim();
    return trimmed === tag || trimmed === strong;
  });
}
