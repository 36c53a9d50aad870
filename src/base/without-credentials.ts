/**
 * A URL that may be shown: `mask` replaces the user name and password. In a text that is not a URL it is not known where they end, so
 * everything before an `@` is removed.
 */
export function withoutCredentials(text: string, mask = ''): string {
  const shown = mask && `${mask}@`;
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text);
  return isAddress ? text.replace(/\/\/[^/?#]*@/, `//${shown}`) : text.replace(/^.*@/s, shown);
}
