/** Strategies that compare something with a list, and the parameter that holds it. */
export const LIST_PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['userWithId', 'userIds'],
  ['applicationHostname', 'hostNames'],
  ['remoteAddress', 'IPs'],
]);

/**
 * The entries of a comma-separated list, blanks around the commas dropped; an absent list is empty. Blanks at the two ends of the list stay, as
 * SDKs leave them. Not a regular expression: one would take quadratic time on a long run of blanks. One after the other: there may be hundreds
 * of thousands.
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
