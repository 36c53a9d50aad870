/** Texts of the palette and of the map of keys. */
export const palette = {
  title: 'Search and go',
  placeholder: 'Flag, screen or action',
  none: 'Nothing matches. Try fewer words, or a part of the name.',
  groups: { flags: 'Flags', screens: 'Screens', projects: 'Projects', actions: 'Actions' },
  hint: 'Arrows choose, Enter opens, Escape closes.',
  results: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  createFlag: 'Create flag',
  themes: { system: 'Theme: same as the system', light: 'Theme: light', dark: 'Theme: dark' },
  keys: 'Show keys',
} as const;

export const keysMap = {
  title: 'Keys',
  singleKeys: 'Keys without Ctrl, ⌘ or Alt',
  singleKeysHint: 'Turn them off if you dictate, or if keys are pressed by accident.',
  groups: { everywhere: 'Everywhere', go: 'Go to', list: 'In lists', forms: 'In dialogs' },
  palette: 'Search flags, screens and actions',
  filter: 'Go to the filter',
  map: 'Show this map',
  goTo: (screen: string) => screen,
} as const;
