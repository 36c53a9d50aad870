import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alertRules, withAlertsTable } from '../../src/generate/alerts.ts';
import { withFieldsTable } from '../../src/generate/field-limits.ts';
import { withPermissionTables } from '../../src/generate/permissions-table.ts';
import { withEdgeTable, withLimitsTable, withOptionsTable, withUnleashTable } from '../../src/generate/tables.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

const limits = readFileSync(new URL('../../docs/reference/limits.md', import.meta.url), 'utf8');

describe('the table of limits', () => {
  it('is the same as in the code; update it with: npm run readme', () => {
    expect(withLimitsTable(limits) === limits, 'run: npm run readme').toBe(true);
    expect(limits).toContain('UNLEASH_CONSTRAINT_VALUES_LIMIT');
  });

  it('names the limits of all fields of requests; update it with: npm run readme', () => {
    expect(withFieldsTable(limits) === limits, 'run: npm run readme').toBe(true);
    expect(limits).toContain('`tokenName`');
  });
});

const permissions = readFileSync(new URL('../../docs/reference/tables/permissions.md', import.meta.url), 'utf8');

describe('the tables of permissions', () => {
  it('are the same as in the routes and the roles; update them with: npm run readme', () => {
    expect(withPermissionTables(permissions) === permissions, 'run: npm run readme').toBe(true);
    expect(permissions).toContain('| POST `/api/admin/user-admin` | `ADMIN` |');
  });
});

const fromEdge = readFileSync(new URL('../../docs/move-in/from-edge.md', import.meta.url), 'utf8');

describe('the table of Edge’s options', () => {
  it('is the same as in the code; update it with: npm run readme', () => {
    expect(withEdgeTable(fromEdge) === fromEdge, 'run: npm run readme').toBe(true);
    expect(fromEdge).toContain('`UPSTREAM_URL`');
  });
});

const fromUnleash = readFileSync(new URL('../../docs/move-in/from-unleash.md', import.meta.url), 'utf8');

describe('the table of Unleash’s variables without effect', () => {
  it('is the same as in the code; update it with: npm run readme', () => {
    expect(withUnleashTable(fromUnleash) === fromUnleash, 'run: npm run readme').toBe(true);
    expect(fromUnleash).toContain('`EMAIL_HOST`');
  });
});

const measurements = readFileSync(new URL('../../docs/reference/tables/figures.md', import.meta.url), 'utf8');

const options = readFileSync(new URL('../../docs/reference/options.md', import.meta.url), 'utf8');

describe('the table of options', () => {
  it('is the same as in the code; update it with: npm run readme', () => {
    expect(withOptionsTable(options) === options, 'run: npm run readme').toBe(true);
    expect(options).toContain('| `HTTP_PORT`, `PORT` | `4242` |');
  });
});

describe('the alerts', () => {
  it('are the same in docs/operate/operations.md and in the rules for Prometheus as in the code; update them with: npm run readme', () => {
    const operations = readFileSync(new URL('../../docs/operate/operations.md', import.meta.url), 'utf8');
    const rules = readFileSync(new URL('../../deploy/helm/files/alerts.yaml', import.meta.url), 'utf8');
    expect(withAlertsTable(operations) === operations, 'run: npm run readme').toBe(true);
    expect(rules === alertRules(), 'run: npm run readme').toBe(true);
    expect(operations).toContain('| BurgeeWritesRefused | `burgee_writes_refused` |');
  });
});

describe('npm run readme', () => {
  it('writes every generated part of the documentation anew', async () => {
    /** In the order of the arguments: each file, and a text of a line that is missing before. */
    const files = [
      ['docs/reference/options.md', '`HTTP_PORT`'],
      ['docs/reference/limits.md', 'UNLEASH_CONSTRAINT_VALUES_LIMIT'],
      ['docs/reference/tables/permissions.md', 'POST `/api/admin/user-admin`'],
      ['docs/move-in/from-edge.md', '`UPSTREAM_URL`'],
      ['docs/operate/operations.md', '`burgee_writes_refused`'],
      ['deploy/helm/files/alerts.yaml', 'BurgeeWritesRefused'],
      ['docs/move-in/from-unleash.md', '`EMAIL_HOST`'],
    ] as const;
    const folder = mkdtempSync(join(tmpdir(), 'burgee-readme-'));
    const committed = files.map(([path]) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
    const paths = files.map((_file, index) => join(folder, String(index)));
    for (const [index, [, missing]] of files.entries()) {
      const lines = (committed[index] as string).split('\n');
      const shorter = lines.filter((line) => !(/^(\||\s)/.test(line) && line.includes(missing)));
      expect(shorter.length, missing).toBeLessThan(lines.length);
      writeFileSync(paths[index] as string, shorter.join('\n'));
    }
    const { argv } = process;
    try {
      process.argv = [...argv.slice(0, 2), ...paths];
      await import('../../src/generate/readme-main.ts');
    } finally {
      process.argv = argv;
    }
    for (const [index, path] of paths.entries())
      expect(readFileSync(path, 'utf8') === committed[index], files[index]?.[0]).toBe(true);
    rmSync(folder, { recursive: true });
  });
});

const architecture = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');

/** Files and folders in a document, relative to the root or to `src`: `state/state.ts`, `features/ofrep/`, docs/reach/relay.md. */
function pathsIn(text: string): readonly string[] {
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  const documents = text.match(/\bdocs\/[\w./-]*\w\.(md|svg)/g) ?? [];
  return [...spans.filter((span) => /^[\w.-]+\/([\w.-]+\/)*([\w.-]+\.(ts|mjs|md))?$/.test(span)), ...documents];
}

describe('ARCHITECTURE.md', () => {
  it('names only existing files and folders, and has at most 200 lines', () => {
    const paths = pathsIn(architecture);
    const isThere = (path: string) =>
      ['', 'src/'].some((folder) => existsSync(new URL(`../../${folder}${path}`, import.meta.url)));
    expect(paths.length).toBeGreaterThan(80);
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
    expect(architecture.split('\n').length).toBeLessThanOrEqual(201);
  });
});

describe('the README', () => {
  it('names only existing options, and has at most 160 lines', () => {
    const [, table = ''] = /## Options([\s\S]*?)\n## /.exec(readme) ?? [];
    const named = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
    expect(named.length).toBeGreaterThan(5);
    for (const name of named) expect(options).toContain(`\`${name}\``);
    expect(readme.split('\n').length).toBeLessThanOrEqual(160);
  });

  it('leaves the measurements to docs/reference/tables/figures.md, and lists known limitations', () => {
    expect(readme).toContain('## Known limitations');
    expect(readme).not.toContain('<!-- figures -->');
    expect(measurements).toContain('<!-- figures -->');
    expect(measurements).toContain('<!-- /figures -->');
  });

  it('begins with the commands to serve and to test', () => {
    const [first] = /```sh\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(first).toContain('npm install && npm start');
    expect(first).toContain('npm install && npm test');
  });
});
