/**
 * Whether the header `If-None-Match` contains the ETag, strong or weak: `"…"` and `W/"…"` count as equal (RFC 9110, 13.1.2). The header may contain
 * several ETags, or `*`. "" is a missing header.
 */
export function includesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === '') return false;
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true;
  const strong = strongEtag(etag);
  return ifNoneMatch.split(',').some((candidate) => strongEtag(candidate.trim()) === strong);
}

function strongEtag(etag: string): string {
  return etag.startsWith('W/') ? etag.slice('W/'.length) : etag;
}
