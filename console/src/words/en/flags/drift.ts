import { numberText } from '../../number-text.ts';

const flags = (count: number) => `${numberText(count)} ${count === 1 ? 'flag' : 'flags'}`;

/** Texts of the drift matrix. */
export const drift = {
  title: 'Drift',
  base: 'Compare with',
  show: 'What is listed',
  shows: { different: 'Different', rules: 'Different rules', all: 'All' },
  allEnvironments: 'All environments',
  count: (shown: number, of: number) => `${flags(shown)} of ${numberText(of)}`,
  further: (count: number) =>
    `${numberText(count)} further ${count === 1 ? 'environment is' : 'environments are'} not shown: choose an environment to see it.`,
  none: (base: string) => `Nothing differs: every flag is the same in each environment as in ${base}.`,
  noFlags: 'There are no flags yet.',
  one: 'There is only one environment, so nothing can differ.',
  toEnvironments: 'Go to the environments',
  columns: { name: 'Flag', project: 'Project', differing: 'Differs in' },
  reference: (base: string) => `${base} (base)`,
  cells: {
    equal: 'Equal',
    rules: 'Rules',
    on: 'On',
    off: 'Off',
    missing: '—',
  },
  sentences: {
    equal: (name: string, environment: string, base: string) => `${name}: ${environment} is as ${base}`,
    rules: (name: string, environment: string, base: string) =>
      `${name}: the rules in ${environment} differ from ${base}`,
    on: (name: string, environment: string, base: string) =>
      `${name}: on in ${environment}, off in ${base}, with the same rules`,
    off: (name: string, environment: string, base: string) =>
      `${name}: off in ${environment}, on in ${base}, with the same rules`,
  },
  notInProject: (environment: string) => `Its project does not have ${environment}`,
  states: { on: 'On', off: 'Off', empty: 'no rules' },
  legend:
    'Compares the rules of each flag: its strategies and variants. “On” and “Off” mean the same rules, but another state of the switch. Press a cell to see the difference and to copy the base there.',
} as const;
