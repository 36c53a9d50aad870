import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Words that readers have to read twice. CONTRIBUTING.md says what to write instead. */
const WORDS = /\b(told|tells|whoever|whom|mandate|parcel|take-over|a half character)\b/i;

/** Made by scripts, or a list of what tests are called. */
const LEFT_OUT = /^docs\/(worst-case.*|contract-proof|figures)\.md$/;

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Markdown without code: names and paths stay what they are. */
const prose = (text: string) => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '``');

/** `path:line`, of the lines in which a word stands. */
function linesWith(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => (WORDS.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []));
}

describe('plain language', () => {
  it('is what the documentation is written in', () => {
    const files = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', ...filesIn('docs', '.md')];
    const found = files.filter((path) => !LEFT_OUT.test(path)).flatMap((path) => linesWith(path, prose(read(path))));
    expect(found).toEqual([]);
  });

  it('is what messages and comments of the engine, the HTTP front, views and most products are written in', () => {
    const products = ['server', 'relay', 'mirror', 'offline', 'maintenance'].map((name) => `products/${name}`);
    const folders = ['base', 'state', 'access', 'engine', 'http', 'views', ...products].map((name) => `src/${name}`);
    const files = [...folders.flatMap((folder) => filesIn(folder, '.ts')), 'src/config.ts'];
    expect(files.flatMap((path) => linesWith(path, read(path)))).toEqual([]);
  });
});
