/**
 * An address as it may be shown: in the place of a name and a password in it stands `mask`. In a text that is not an address it is not known where they end:
 * everything before an `@` goes.
 */
export function withoutCredentials(text: string, mask = ''): string {
  const shown = mask && `${mask}@`;
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text);
  return isAddress ? text.replace(/\/\/[^/?#]*@/, `//${shown}`) : text.replace(/^.*@/s, shown);
}
