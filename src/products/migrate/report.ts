import type { Note } from './holdings.ts';
import type { MigratedItem, MigrationResult } from './importer.ts';

const KIND_NAMES: { readonly [K in MigratedItem['kind']]: string } = {
  environments: 'environments',
  projects: 'projects',
  contextFields: 'context fields',
  tagTypes: 'tag types',
  tags: 'tags',
  strategyTypes: 'custom strategies',
  segments: 'segments',
  defaultStrategies: 'default strategies',
  features: 'flags',
  apiTokens: 'API tokens',
  featureTypes: 'lifetimes of flag types',
  frontendOrigins: 'lists of frontend origins',
  banners: 'banners',
  addons: 'integrations',
  roles: 'roles',
  users: 'users',
  groups: 'groups',
  access: 'roles in projects',
  protections: 'environments with reviews',
  favorites: 'favourites',
};

/** Maximum number of objects of one kind and outcome that are listed by name. Of further objects, the report contains only the number. */
const NAMED_MAX = 10;

/** The report for the user: counts, and each refused object with its reason. */
export function reportText(
  { items, unchanged }: MigrationResult,
  notes: readonly Note[],
  isRehearsal: boolean,
): string {
  const lines: string[] = [];
  for (const kind of Object.keys(KIND_NAMES) as MigratedItem['kind'][]) {
    for (const outcome of ['created', 'changed', 'removed'] as const) {
      const matches = items.filter((item) => item.kind === kind && item.outcome === outcome);
      if (matches.length === 0) continue;
      const verb = isRehearsal ? `would be ${outcome}` : outcome;
      lines.push(`${String(matches.length).padStart(7)} ${KIND_NAMES[kind]} ${verb}: ${namesOf(matches)}`);
    }
  }
  lines.push(
    `${String(unchanged).padStart(7)} objects ${items.length === 0 ? 'are all the same as in the source' : 'were already the same'}`,
  );
  const refused = items.filter(({ outcome }) => outcome === 'refused');
  if (refused.length > 0) lines.push('', `${refused.length} could not be imported:`);
  for (const { kind, name, reason } of refused) lines.push(`  ${KIND_NAMES[kind]}: ${name}: ${reason}`);
  if (notes.length > 0) lines.push('', 'Not imported, or changed by the import:');
  for (const { about, text } of notes) lines.push(`  ${about}: ${text}`);
  return `${lines.join('\n')}\n`;
}

function namesOf(items: readonly MigratedItem[]): string {
  const names = items
    .slice(0, NAMED_MAX)
    .map(({ name, changed }) => (changed ? `${name} (${changed.join(', ')})` : name));
  const more = items.length > names.length ? ` and ${items.length - names.length} more` : '';
  return names.join(', ') + more;
}
