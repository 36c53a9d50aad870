/**
 * For each SDK, the oldest version that is not reported as outdated. It is the first version that accepts segments by id and that stops polling when
 * the server requests it. Older versions work, but they get longer lists and do not know newer operators.
 */
const OLDEST_CURRENT: ReadonlyMap<string, readonly number[]> = new Map([
  ['unleash-client-node', [5, 3, 2]],
  ['unleash-client-php', [1, 13, 0]],
  ['unleash-client-ruby', [5, 0, 0]],
  ['unleash-client-python', [5, 11, 1]],
  ['unleash-client-java', [9, 0, 0]],
  ['unleash-client-dotnet', [4, 1, 3]],
  ['unleash-client-go', [4, 1, 0]],
  ['unleash-client-rust', [0, 12, 0]],
  ['unleash-edge', [17, 0, 0]],
]);

/** The name and version that an SDK reports: `unleash-client-node:6.12.1`, or with an `@`. */
interface SdkVersion {
  readonly name: string;
  /** "" if it is unknown. */
  readonly version: string;
}

export function sdkVersionOf(text: string): SdkVersion {
  const match = /^([^:@]*)[:@](.*)$/.exec(text);
  return match ? { name: match[1] ?? '', version: match[2] ?? '' } : { name: text, version: '' };
}

/** Whether the text names a known SDK in a version before `OLDEST_CURRENT`. */
export function isOutdated(text: string): boolean {
  const { name, version } = sdkVersionOf(text);
  // Newer versions report the name `unleash-node-sdk`, older ones `unleash-client-node`.
  const oldest = OLDEST_CURRENT.get(name.replace(/^unleash-(\w+)-sdk$/, 'unleash-client-$1'));
  const found = /^v?(\d{1,6})(?:\.(\d{1,6}))?(?:\.(\d{1,6}))?/.exec(version);
  if (!oldest || !found) return false;
  for (const [index, current] of oldest.entries()) {
    const own = Number(found[index + 1] ?? 0);
    if (own !== current) return own < current;
  }
  return false;
}
