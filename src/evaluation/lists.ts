/** Name of a strategy that compares a field with a list → the parameter that contains the list. */
export const LIST_PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['userWithId', 'userIds'],
  ['applicationHostname', 'hostNames'],
  ['remoteAddress', 'IPs'],
]);

/**
 * The entries of a comma-separated list, without the blanks around the commas; an empty text has no entries. Blanks at both ends of the list stay, as
 * in SDKs. This function does not use a regular expression, which would need quadratic time for a long run of blanks. It is a generator, because a
 * list may have hundreds of thousands of entries.
 */
export function* listEntries(text: string): Generator<string, void> {
  if (text === '') return;
  let from = 0;
  for (let comma = text.indexOf(','); comma >= 0; comma = text.indexOf(',', from)) {
    const entry = text.slice(from, comma).trimEnd();
    yield from === 0 ? entry : entry.trimStart();
    from = comma + 1;
  }
  const last = text.slice(from);
  yield from === 0 ? last : last.trimStart();
}
