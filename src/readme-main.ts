import { readFileSync, writeFileSync } from 'node:fs';
import { withLimitsTable } from './limits-table.ts';
import { withOptionsTable } from './options-table.ts';

/** `npm run readme`: brings the README's table of options, and the documents' table of limits, up to date. */
const [, , readme = 'README.md', limits = 'docs/limits.md'] = process.argv;
writeFileSync(readme, withOptionsTable(readFileSync(readme, 'utf8')));
writeFileSync(limits, withLimitsTable(readFileSync(limits, 'utf8')));
