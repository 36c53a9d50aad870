/** Whether `If-None-Match` names the tag (`W/"…"`): it may hold several, strong or weak, or `*`; "" for none. */
export function namesTag(known: string, tag: string): boolean {
  if (known === '') return false;
  if (known === tag || known === '*') return true;
  const strong = tag.slice(2);
  return known.split(',').some((candidate) => {
    const trimmed = candidate.trim();
    return trimmed === tag || trimmed === strong;
  });
}
