import { readFileSync } from 'node:fs';

/** What Unleash 8.2 answered, from a file of `test/fixtures`. */
// biome-ignore lint/suspicious/noExplicitAny: answers of Unleash have no types here
export const fixture = <T = any>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../fixtures/unleash-8.2-${name}.json`, import.meta.url), 'utf8'));
