/**
 * Whether every run of percent-encoded bytes is UTF-8. What is not would be read as other text than was sent. A percent sign that encodes
 * nothing stands for itself.
 */
export function isUtf8Encoded(text: string): boolean {
  if (!text.includes('%')) return true;
  for (const [run] of text.matchAll(/(?:%[0-9a-f]{2})+/gi)) {
    try {
      decodeURIComponent(run);
    } catch {
      return false;
    }
  }
  return true;
}
