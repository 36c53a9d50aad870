import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withEdgeTable } from '../src/edge-table.ts';
import { withLimitsTable } from '../src/limits-table.ts';
import { withOptionsTable } from '../src/options-table.ts';
import { withPermissionTables } from '../src/permissions-table.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

const limits = readFileSync(new URL('../docs/limits.md', import.meta.url), 'utf8');

describe('the table of limits', () => {
  it('is as the code has it; bring it up to date with: npm run readme', () => {
    expect(withLimitsTable(limits) === limits, 'run: npm run readme').toBe(true);
    expect(limits).toContain('UNLEASH_CONSTRAINT_VALUES_LIMIT');
  });
});

const permissions = readFileSync(new URL('../docs/permissions.md', import.meta.url), 'utf8');

describe('the tables of permissions', () => {
  it('are as the routes and the roles have them; bring them up to date with: npm run readme', () => {
    expect(withPermissionTables(permissions) === permissions, 'run: npm run readme').toBe(true);
    expect(permissions).toContain('| POST `/api/admin/user-admin` | `ADMIN` |');
  });
});

const fromEdge = readFileSync(new URL('../docs/from-edge.md', import.meta.url), 'utf8');

describe('the table of Edge’s options', () => {
  it('is as the code has it; bring it up to date with: npm run readme', () => {
    expect(withEdgeTable(fromEdge) === fromEdge, 'run: npm run readme').toBe(true);
    expect(fromEdge).toContain('`UPSTREAM_URL`');
  });
});

const figures = readFileSync(new URL('../docs/figures.md', import.meta.url), 'utf8');

describe('the README', () => {
  it('lists every option as the code has it; bring it up to date with: npm run readme', () => {
    expect(withOptionsTable(readme) === readme, 'run: npm run readme').toBe(true);
  });

  it('leaves the figures to docs/figures.md, and says what is not there', () => {
    expect(readme).toContain('## What is not there');
    expect(readme).not.toContain('<!-- figures -->');
    expect(figures).toContain('<!-- figures -->');
    expect(figures).toContain('<!-- /figures -->');
  });

  it('opens with the two commands that serve and that test', () => {
    const [first] = /```sh\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(first).toContain('npm install && npm start');
    expect(first).toContain('npm install && npm test');
  });
});
