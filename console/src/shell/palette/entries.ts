import type { FlagRow } from '../../domain/flag-row.ts';
import { PATHS, path } from '../../paths.ts';
import type { palette as words } from '../../words/en/palette.ts';
import { shell } from '../../words/en/shell.ts';
import type { Matcher } from './flag-search.ts';

export interface PaletteEntry {
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

export const FLAGS_SHOWN = 30;

const flagEntry = ({ name, project, description }: FlagRow): PaletteEntry => ({
  group: 'flags',
  label: name,
  hint: description ? `${project} · ${description}` : project,
  isName: true,
  run: (navigate) => navigate(path('feature', { projectId: project, featureId: name })),
});

const screenEntries = (): PaletteEntry[] =>
  (Object.entries(shell.screens) as [keyof typeof shell.screens, string][]).map(([screen, label]) => ({
    group: 'screens',
    label,
    run: (navigate) => navigate(PATHS[screen]),
  }));

interface Shown {
  readonly text: string;
  /** The flags that the text finds. */
  readonly flags: readonly FlagRow[];
}

/** What the palette shows for a text: screens and actions first when nothing is typed, flags first otherwise. */
export function entriesFor(
  { text, flags }: Shown,
  matcher: Matcher,
  projects: readonly { readonly id: string; readonly name: string }[],
  actions: readonly PaletteAction[],
): PaletteEntry[] {
  const others: PaletteEntry[] = [
    ...screenEntries(),
    ...actions.map(
      (action): PaletteEntry => ({
        group: 'actions',
        label: action.label,
        run: action.run,
      }),
    ),
    ...projects.map(
      ({ id, name }): PaletteEntry => ({
        group: 'projects',
        label: name,
        hint: id,
        run: (navigate) => navigate(path('projectFeatures', { projectId: id })),
      }),
    ),
  ];
  if (text.trim() === '') return [...flags.map(flagEntry), ...others];
  const labels = others.map(({ label }) => label);
  const all = labels.map((_, at) => at);
  const matching = matcher.rank(labels, text, matcher.filter(labels, text, all));
  return [...flags.map(flagEntry), ...matching.flatMap((index) => others[index] ?? [])];
}
