import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withOptionsTable } from '../src/options-table.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

describe('the README', () => {
  it('lists every option as the code has it; bring it up to date with: npm run readme', () => {
    expect(withOptionsTable(readme) === readme, 'run: npm run readme').toBe(true);
  });

  it('opens with the two commands that serve and that test', () => {
    const [first] = /```sh\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(first).toContain('npm install && npm start');
    expect(first).toContain('npm install && npm test');
  });
});
