import type { FlagRow } from '../../data/flag-rows.ts';
import { PATHS, path, type Screen } from '../../paths.ts';
import type { palette as words } from '../../words/en/palette.ts';
import { shell } from '../../words/en/shell.ts';
import { isRegistered } from '../routes.tsx';
import { type Find, findFlags } from './flag-search.ts';

export interface PaletteEntry {
  readonly id: string;
  readonly group: keyof typeof words.groups;
  readonly label: string;
  readonly hint?: string;
  /** Names are in monospace. */
  readonly isName?: boolean;
  readonly run: (navigate: (to: string) => void) => void;
}

interface PaletteAction {
  readonly label: string;
  readonly run: () => void;
}

const FLAGS_SHOWN = 30;

const flagEntry = ({ name, project, description }: FlagRow): PaletteEntry => ({
  id: `flag ${name}`,
  group: 'flags',
  label: name,
  hint: description ? `${project} · ${description}` : project,
  isName: true,
  run: (navigate) => navigate(path('feature', { projectId: project, featureId: name })),
});

const screenEntries = (): PaletteEntry[] =>
  (Object.entries(shell.screens) as [keyof typeof shell.screens, string][])
    .filter(([screen]) => isRegistered(screen as Screen))
    .map(([screen, label]) => ({
      id: `screen ${screen}`,
      group: 'screens',
      label,
      run: (navigate) => navigate(PATHS[screen as Screen]),
    }));

/** What the palette shows for a text: screens and actions first when nothing is typed, flags first otherwise. */
export function entriesFor(
  text: string,
  find: Find,
  flags: { readonly rows: readonly FlagRow[]; readonly names: readonly string[] },
  projects: readonly { readonly id: string; readonly name: string }[],
  actions: readonly PaletteAction[],
): PaletteEntry[] {
  const others: PaletteEntry[] = [
    ...screenEntries(),
    ...actions.map(
      (action): PaletteEntry => ({
        id: `action ${action.label}`,
        group: 'actions',
        label: action.label,
        run: action.run,
      }),
    ),
    ...projects.map(
      ({ id, name }): PaletteEntry => ({
        id: `project ${id}`,
        group: 'projects',
        label: name,
        hint: id,
        run: (navigate) => navigate(path('projectFeatures', { projectId: id })),
      }),
    ),
  ];
  if (text.trim() === '') {
    const favorites = flags.rows.filter(({ favorite }) => favorite).slice(0, FLAGS_SHOWN);
    return [...favorites.map(flagEntry), ...others];
  }
  const matching = find(
    others.map(({ label }) => label),
    text,
  );
  return [
    ...findFlags(flags, text, find, FLAGS_SHOWN).map(flagEntry),
    ...matching.flatMap((index) => (others[index] ? [others[index]] : [])),
  ];
}
