import { readFileSync, writeFileSync } from 'node:fs';
import { alertRules, withAlertsTable } from './alerts.ts';
import { withFieldsTable } from './field-limits.ts';
import { withPermissionTables } from './permissions-table.ts';
import { withEdgeTable, withLimitsTable, withOptionsTable, withUnleashTable } from './tables.ts';

/**
 * Implements `npm run readme`: updates the generated parts of the documentation. These are the tables of options, limits, permissions, Edge's options,
 * Unleash's variables and alerts, and the rules of the alerts.
 */
const [
  ,
  ,
  options = 'docs/reference/options.md',
  limits = 'docs/reference/limits.md',
  permissions = 'docs/reference/tables/permissions.md',
  edge = 'docs/move-in/from-edge.md',
  operations = 'docs/operate/operations.md',
  rules = 'deploy/helm/files/alerts.yaml',
  unleash = 'docs/move-in/from-unleash.md',
] = process.argv;
writeFileSync(options, withOptionsTable(readFileSync(options, 'utf8')));
writeFileSync(limits, withFieldsTable(withLimitsTable(readFileSync(limits, 'utf8'))));
writeFileSync(permissions, withPermissionTables(readFileSync(permissions, 'utf8')));
writeFileSync(edge, withEdgeTable(readFileSync(edge, 'utf8')));
writeFileSync(unleash, withUnleashTable(readFileSync(unleash, 'utf8')));
writeFileSync(operations, withAlertsTable(readFileSync(operations, 'utf8')));
writeFileSync(rules, alertRules());
