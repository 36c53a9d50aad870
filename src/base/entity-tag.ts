/**
 * Whether the header `If-None-Match` contains the tag, strong or weak: `"…"` and `W/"…"` count as equal (RFC 9110, 13.1.2). The header may contain
 * several tags, or `*`. "" is a missing header.
 */
export function includesTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch === '') return false;
  if (ifNoneMatch === tag || ifNoneMatch === '*') return true;
  const strong = strongTag(tag);
  return ifNoneMatch.split(',').some((candidate) => strongTag(candidate.trim()) === strong);
}

function strongTag(tag: string): string {
  return tag.startsWith('W/') ? tag.slice('W/'.length) : tag;
}
