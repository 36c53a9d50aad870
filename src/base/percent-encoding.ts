/**
 * Whether every run of percent-encoded bytes is UTF-8. If one is not, the decoded text would differ from the sent text. A percent sign that encodes
 * no byte is a normal character.
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
