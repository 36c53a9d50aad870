import { readFileSync, writeFileSync } from 'node:fs';
import { withLimitsTable } from './limits-table.ts';
import { withOptionsTable } from './options-table.ts';
import { withPermissionTables } from './permissions-table.ts';

/** `npm run readme`: brings the README's table of options, and the documents' tables of limits and permissions, up to date. */
const [, , readme = 'README.md', limits = 'docs/limits.md', permissions = 'docs/permissions.md'] = process.argv;
writeFileSync(readme, withOptionsTable(readFileSync(readme, 'utf8')));
writeFileSync(limits, withLimitsTable(readFileSync(limits, 'utf8')));
writeFileSync(permissions, withPermissionTables(readFileSync(permissions, 'utf8')));
