import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = [
  '.',
  '.ci',
  '.github',
  'bench',
  'console/src',
  'console/tools',
  'deploy',
  'docs',
  'examples',
  'src',
  'test',
  'tools',
];
const TEXT = /\.(md|ts|tsx|mjs|mts|json|ya?ml|conf|css|tpl|service)$|^\.ci\/|Dockerfile/;
/** What others wrote, and what quotes names that are gone. */
const NOT_OURS = /node_modules|package-lock|^CHANGELOG\.md$|^dist\//;

const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: folder !== '.', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
).filter((file) => TEXT.test(file) && !NOT_OURS.test(file));
const DOCUMENTS = FILES.filter((file) => file.endsWith('.md'));

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** A document without its code: what stands there is shown as it is. */
const prose = (file: string) =>
  read(file)
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, '');

/** The anchors of the headings, as GitHub makes them. */
function anchorsOf(file: string): readonly string[] {
  const headings = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('links', () => {
  it('of documents lead to files that exist, and to their headings', () => {
    const broken: string[] = [];
    let count = 0;
    for (const file of DOCUMENTS)
      for (const [, path = '', , anchor = ''] of prose(file).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(#([^)\s]*))?\)/g)) {
        const target = path === '' ? file : join(dirname(file), path);
        count++;
        if (!existsSync(join(ROOT, target))) broken.push(`${file}: ${path}`);
        else if (anchor !== '' && !anchorsOf(target).includes(anchor)) broken.push(`${file}: ${path}#${anchor}`);
      }
    expect(count).toBeGreaterThan(200);
    expect(broken).toEqual([]);
  });

  it('as text (docs/…, test/…), in code and in documents, name files that exist', () => {
    const broken: string[] = [];
    let count = 0;
    for (const file of FILES)
      for (const [path] of read(file).matchAll(/(?<![\w./-])(docs|test)\/[\w-]+(\/[\w.-]+)*\.(md|ts|mjs)\b/g)) {
        count++;
        if (!existsSync(join(ROOT, path))) broken.push(`${file}: ${path}`);
      }
    expect(count).toBeGreaterThan(200);
    expect(broken).toEqual([]);
  });
});
