/**
 * Whether the header `If-None-Match` contains the weak tag (`W/"…"`). The header may contain several tags, strong or weak, or `*`. "" is a missing
 * header.
 */
export function includesTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch === '') return false;
  if (ifNoneMatch === tag || ifNoneMatch === '*') return true;
  const strong = tag.slice('W/'.length);
  return ifNoneMatch.split(',').some((candidate) => {
    const trimmed = candidate.trim();
    return trimmed === tag || trimmed === strong;
  });
}
