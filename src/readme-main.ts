import { readFileSync, writeFileSync } from 'node:fs';
import { withEdgeTable } from './edge-table.ts';
import { withLimitsTable } from './limits-table.ts';
import { withOptionsTable } from './options-table.ts';
import { withPermissionTables } from './permissions-table.ts';

/** `npm run readme`: brings the README's table of options, and the documents' tables of limits, permissions and Edge's options, up to date. */
const [
  ,
  ,
  readme = 'README.md',
  limits = 'docs/limits.md',
  permissions = 'docs/permissions.md',
  edge = 'docs/from-edge.md',
] = process.argv;
writeFileSync(readme, withOptionsTable(readFileSync(readme, 'utf8')));
writeFileSync(limits, withLimitsTable(readFileSync(limits, 'utf8')));
writeFileSync(permissions, withPermissionTables(readFileSync(permissions, 'utf8')));
writeFileSync(edge, withEdgeTable(readFileSync(edge, 'utf8')));
