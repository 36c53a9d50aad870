import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Words that readers must read twice. CONTRIBUTING.md has the replacements. */
const WORDS = /\b(told|tells|whoever|whom|mandate|parcels?|take-over|entity tags?|a half character)\b/i;

/** More of them for user documentation. Code still has some of these as names. */
const WORDS_OF_DOCS = new RegExp(`${WORDS.source}|\\b(surplus|lapses?d?|entrance)\\b`, 'i');

/** Paths and stored names do not change. */
const STORED = /\/api\/admin\/take-over|'take-over'|`told:`|\bparcels:|[`.]parcels\b|\{ parcels: /g;

/** Packages, names that are published with docs/reference/tables/contract-proof.md, a test that reads a fixture's names, and the word list. */
const NOT_OURS = /node_modules|^test\/contract\/|older-stores|plain-language/;

const GENERATED = /schema\.d\.ts$/;

const LONGEST_LINE = 160;

/** Pages that benches write, or that are a list of test names. */
const LEFT_OUT = /^docs\/reference\/tables\/(worst-case.*|contract-proof)\.md$/;

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const pages = () =>
  [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'console/README.md',
    ...filesIn('docs', '.md'),
  ].filter((path) => !LEFT_OUT.test(path));

/** Keeps the number of lines, so that a line's number in a report is its number in the file. */
const blank = (text: string) => text.replace(/[^\n]/g, '');

/** Markdown without code, because names and paths do not change, and without the table that benches write. */
const prose = (text: string) =>
  text
    .replace(/^<!-- figures -->$[\s\S]*?^<!-- \/figures -->$/gm, blank)
    .replace(/```[\s\S]*?```/g, blank)
    .replace(/`[^`\n]*`/g, '``');

/** The lines that contain a word, as `path:line: text`. */
function linesWith(path: string, text: string, words = WORDS): string[] {
  return text.split('\n').flatMap((line, index) => (words.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []));
}

describe('plain language', () => {
  it('is used in the documentation', () => {
    const found = pages().flatMap((path) => linesWith(path, prose(read(path)), WORDS_OF_DOCS));
    expect(found).toEqual([]);
  });

  it('has lines that fit on a screen, except for rows of tables', () => {
    const isLong = (line: string) => line.length > LONGEST_LINE && !line.trimStart().startsWith('|');
    const long = pages().flatMap((path) => {
      const written = read(path).replace(/^<!-- (\w+) -->$[\s\S]*?^<!-- \/\1 -->$/gm, blank);
      return written.split('\n').flatMap((line, index) => (isLong(line) ? [`${path}:${index + 1}`] : []));
    });
    expect(long).toEqual([]);
  });

  it('is used in names, messages and comments', () => {
    const folders = ['src', 'bench', 'test', 'tools'];
    const files = folders.flatMap((folder) => filesIn(folder, folder === 'tools' ? '.mjs' : '.ts'));
    files.push(
      ...['.ts', '.tsx', '.css'].flatMap((ending) => filesIn('console/src', ending)),
      ...filesIn('console/tools', '.mjs'),
    );
    const written = files.filter((path) => !NOT_OURS.test(path) && !GENERATED.test(path));
    const withoutStored = (text: string) => text.replace(STORED, '');
    expect(written.flatMap((path) => linesWith(path, withoutStored(read(path))))).toEqual([]);
  });
});
