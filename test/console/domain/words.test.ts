import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CATALOGUE = `${ROOT}console/src/words/en/`;

/** The rows of the table of words: the word, what it is, and the words that are not used for it. */
const ROWS = (readFileSync(`${ROOT}docs/start/console.md`, 'utf8').split('## Words')[1] ?? '')
  .split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, word = '', , not = '']) => ({ word, not: not.split(',').flatMap((one) => one.trim() || []) }));

/** The texts that people read. Names of fields and of types of events have neither blanks nor capitals. */
function textsOf(source: string): string[] {
  const literals = source.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g);
  return [...literals].map(([, quoted, template]) => quoted ?? template ?? '').filter((text) => /[ A-Z]/.test(text));
}

const TEXTS = readdirSync(CATALOGUE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => textsOf(readFileSync(CATALOGUE + name, 'utf8')).map((text) => `${name}: ${text}`));

describe('one thing has one word', () => {
  it.each((ROWS ?? []).filter(({ not }) => not.length > 0))('$word', ({ not }) => {
    const other = new RegExp(`: .*\\b(${not.join('|')})\\b`, 'i');
    expect(TEXTS.filter((text) => other.test(text))).toEqual([]);
  });

  it('reads the table and the catalogue', () => {
    expect(ROWS?.length).toBeGreaterThan(7);
    expect(TEXTS.length).toBeGreaterThan(1500);
  });
});
