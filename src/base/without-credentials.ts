/**
 * Returns a URL that may be shown: `mask` replaces the user name and password. If the text is not a URL, it is not known where the password ends. So
 * everything before the last `@` is replaced.
 */
export function withoutCredentials(text: string, mask = ''): string {
  const replacement = mask && `${mask}@`;
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text);
  return isAddress ? text.replace(/\/\/[^/?#]*@/, `//${replacement}`) : text.replace(/^.*@/s, replacement);
}
