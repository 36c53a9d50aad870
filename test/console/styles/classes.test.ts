import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../../console/src/', import.meta.url));
const IMPORT = /import (\w+) from '(\.[^']+\.module\.css)'/g;

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' });
const classesIn = (module: string) =>
  new Set(
    [
      ...readFileSync(join(SOURCE, module), 'utf8')
        .replace(/\/\*.*?\*\//gs, '')
        .matchAll(/\.([A-Za-z_]\w*)/g),
    ].map(([, name]) => name),
  );

/** The classes of style sheets that a file of code names: `styles.card`. A class that is chosen by a value, `styles[kind]`, is not among them. */
function named(file: string): { readonly module: string; readonly name: string }[] {
  const code = readFileSync(join(SOURCE, file), 'utf8');
  return [...code.matchAll(IMPORT)].flatMap(([statement, as = '', path = '']) => {
    // Not a part of a path, such as `parts.module.css`.
    const uses = code.replace(statement, '').matchAll(new RegExp(`(?<![\\w./])${as}\\.(\\w+)`, 'g'));
    return [...uses].map(([, name = '']) => ({ module: join(dirname(file), path), name }));
  });
}

describe('classes of style sheets', () => {
  it('exist where code names them: a browser says nothing of one that does not', () => {
    const uses = files.filter((name) => /\.tsx?$/.test(name)).flatMap(named);
    expect(uses.length).toBeGreaterThan(1_000);
    const modules = new Map([...new Set(uses.map(({ module }) => module))].map((one) => [one, classesIn(one)]));
    expect(uses.filter(({ module, name }) => !modules.get(module)?.has(name))).toEqual([]);
  });
});
