/** Texts of the default strategies of a project. */
export const defaultStrategies = {
  tab: 'Default strategies',
  lead: 'When a flag without strategies is switched on in an environment, it gets this strategy. Flags that have strategies keep them.',
  standard: 'Standard',
  own: 'Of this project',
  edit: (environment: string) => `Edit the default strategy in ${environment}`,
  title: 'Default strategy',
  kind: (before: string, after: string) => `Kind: \`${before}\` → \`${after}\``,
  first: 'The project has a default strategy of its own here',
  applies: 'Flags that are switched on later get it. Nothing changes for flags that have strategies.',
  stays: 'To return to the standard later, choose a gradual rollout of 100 %, or undo this change.',
  saved: (environment: string) => `Default strategy in ${environment} saved`,
  none: 'The project has no environment.',
} as const;
