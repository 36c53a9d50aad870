import { numberText } from '../../number-text.ts';

const many = (count: number, one: string, more: string) => `${numberText(count)} ${count === 1 ? one : more}`;
const repositories = (count: number) => many(count, 'repository', 'repositories');
const places = (count: number) => many(count, 'place', 'places');

/** Texts of the places in code that use flags. */
export const code = {
  title: 'In the code',
  lead: 'Where the code of your repositories uses the flag, as `burgee find-flags` found it.',
  noReports: 'No repository has reported its code. `burgee find-flags . --send` sends it.',
  none: (count: number) => `${repositories(count)} reported, and none of them uses this flag.`,
  places,
  more: (count: number) => `and ${places(count)} more`,
  at: (branch: string | null, commit: string | null) => [branch, commit?.slice(0, 10)].filter(Boolean).join(' · '),
  reported: 'Reported',
  notInCode: 'Not in code',
  stillUsed: (count: number) => `The code of ${repositories(count)} still uses it: remove it there first.`,
  unknownTitle: 'Names in the code that no flag has',
  unknownLead: 'Repositories use these names. They are misspelt, deleted, or not created yet.',
  unknownNone: 'Every name of a flag in the code exists.',
  unknownHidden: 'Only people who see all projects see these names.',
  unknownColumns: { name: 'Name', repositories: 'Used in' },
  repositoriesTitle: 'Repositories',
  repositoriesLead:
    'They have reported where their code uses flags. Flags that you have no permission to see are not counted.',
  columns: { name: 'Repository', at: 'Scanned', reported: 'Reported', flags: 'Flags', delete: 'Delete' },
  deleteLabel: (name: string) => `Delete ${name}`,
  deleteTitle: (name: string) => `Delete the repository ${name}?`,
  deleteEffect: (name: string) => `The places that \`${name}\` reported are no longer shown on flags.`,
  deleteAgain: 'If it reports again, it is created again.',
  deleted: (name: string) => `Repository ${name} deleted`,
} as const;
