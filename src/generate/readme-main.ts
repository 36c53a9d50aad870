import { readFileSync, writeFileSync } from 'node:fs';
import { withEdgeTable } from './edge-table.ts';
import { withLimitsTable } from './limits-table.ts';
import { withOptionsTable } from './options-table.ts';
import { withPermissionTables } from './permissions-table.ts';

/** `npm run readme`: brings the tables of the documentation up to date: options, limits, permissions, Edge's options. */
const [
  ,
  ,
  options = 'docs/options.md',
  limits = 'docs/limits.md',
  permissions = 'docs/permissions.md',
  edge = 'docs/from-edge.md',
] = process.argv;
writeFileSync(options, withOptionsTable(readFileSync(options, 'utf8')));
writeFileSync(limits, withLimitsTable(readFileSync(limits, 'utf8')));
writeFileSync(permissions, withPermissionTables(readFileSync(permissions, 'utf8')));
writeFileSync(edge, withEdgeTable(readFileSync(edge, 'utf8')));
