import type { Note } from './holdings.ts';
import type { Taking, Took } from './taker.ts';

const NAMES: { readonly [K in Took['kind']]: string } = {
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
  roles: 'roles',
  users: 'users',
  groups: 'groups',
  access: 'roles in projects',
  protections: 'environments with reviews',
  favorites: 'favourites',
};

/** Maximum number of objects of one kind and outcome that are listed by name. The report contains only the number of the others. */
const NAMED_MAX = 10;

/** The report for the user: counts, and each refused object with its reason. */
export function reportText({ items, unchanged }: Taking, notes: readonly Note[], isRehearsal: boolean): string {
  const lines: string[] = [];
  for (const kind of Object.keys(NAMES) as Took['kind'][]) {
    for (const outcome of ['created', 'changed', 'removed'] as const) {
      const those = items.filter((item) => item.kind === kind && item.outcome === outcome);
      if (those.length === 0) continue;
      const verb = isRehearsal ? `would be ${outcome}` : outcome;
      lines.push(`${String(those.length).padStart(7)} ${NAMES[kind]} ${verb}: ${named(those)}`);
    }
  }
  lines.push(
    `${String(unchanged).padStart(7)} things ${items.length === 0 ? 'are all as they are there' : 'were so already'}`,
  );
  const refused = items.filter(({ outcome }) => outcome === 'refused');
  if (refused.length > 0) lines.push('', `${refused.length} could not be imported:`);
  for (const { kind, name, reason } of refused) lines.push(`  ${NAMES[kind]}: ${name}: ${reason}`);
  if (notes.length > 0) lines.push('', 'Not imported, or changed by the import:');
  for (const { about, text } of notes) lines.push(`  ${about}: ${text}`);
  return `${lines.join('\n')}\n`;
}

function named(items: readonly Took[]): string {
  const names = items
    .slice(0, NAMED_MAX)
    .map(({ name, changed }) => (changed ? `${name} (${changed.join(', ')})` : name));
  const more = items.length > names.length ? ` and ${items.length - names.length} more` : '';
  return names.join(', ') + more;
}
