/** Options for what a start changes in the store of a server. The names are Unleash's. */
export const START_OPTIONS = {
  importFile: {
    env: ['IMPORT_FILE'],
    kind: 'text',
    default: '',
    description:
      'Export of flags (JSON) that is imported at every start, into one environment of one project (docs/move-in/from-unleash.md#at-a-start).',
  },
  importProject: {
    env: ['IMPORT_PROJECT'],
    kind: 'text',
    default: 'default',
    description: 'With `IMPORT_FILE`: project that gets the flags.',
  },
  importEnvironment: {
    env: ['IMPORT_ENVIRONMENT'],
    kind: 'text',
    default: 'development',
    description: 'With `IMPORT_FILE`: environment that gets their strategies, variants and on/off state.',
  },
  enabledEnvironments: {
    env: ['ENABLED_ENVIRONMENTS'],
    kind: 'list',
    default: '',
    description: 'Environments that every start switches on, comma-separated. It switches no other environment off.',
  },
} as const;
