/**
 * A URL that may be shown: `mask` replaces the user name and password. If the text is not a URL, the end of the password is not known, so everything
 * before an `@` is removed.
 */
export function withoutCredentials(text: string, mask = ''): string {
  const shown = mask && `${mask}@`;
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text);
  return isAddress ? text.replace(/\/\/[^/?#]*@/, `//${shown}`) : text.replace(/^.*@/s, shown);
}
