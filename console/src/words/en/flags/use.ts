import { numberText } from '../../number-text.ts';

/** Texts of the use of a flag, of its lifecycle, and of what it costs. */
export const use = {
  title: 'Use',
  lead: 'How often SDKs found the flag on and off, as they reported it. Each evaluation counts.',
  period: 'Period',
  periods: { '48': '48 hours', '720': '30 days', '2184': '91 days' },
  application: 'Application',
  allApplications: 'All applications',
  again: 'Read again',
  none: 'No SDK has reported this flag in this period.',
  noneHere: 'Not used in this period.',
  yes: 'on',
  no: 'off',
  share: (yes: number, no: number) => numberText(yes / Math.max(1, yes + no), 'percent'),
  chart: (environment: string, yes: number, no: number) =>
    `Use in ${environment}: ${numberText(yes)} times on, ${numberText(no)} times off`,
  bar: (time: string, yes: number, no: number) => `${time}: ${numberText(yes)} on, ${numberText(no)} off`,
  variants: 'Variants',
  withoutVariant: 'without a variant',
  applications: 'Applications that use it',
  columns: { application: 'Application', environments: 'Environments', yes: 'On', no: 'Off', last: 'Last report' },
} as const;

export const lifecycle = {
  title: 'Lifecycle',
  stages: {
    initial: 'Created',
    'pre-live': 'Used outside of production',
    live: 'Used in production',
    completed: 'Completed',
    archived: 'Archived',
  },
  notYet: 'not yet',
  passed: 'not seen',
  statuses: { kept: 'The feature was kept', discarded: 'The feature was discarded' } as Readonly<
    Record<string, string>
  >,
  complete: 'Complete…',
  completeTitle: (name: string) => `Complete ${name}`,
  completeText:
    'The decision is made: what the flag controls stays or goes. Next, remove the flag from the code, then archive it.',
  completeEffect: (name: string) => `\`${name}\` is completed. SDKs see no difference: its settings stay as they are.`,
  stillUsed: 'SDKs used it in the last two hours.',
  status: 'What happened to the feature',
  statusNames: { kept: 'Kept', discarded: 'Discarded' },
  variant: 'The variant that was kept',
  noVariant: 'None',
  run: 'Complete',
  completed: (name: string) => `${name} is completed`,
  uncomplete: 'Not completed after all',
  uncompleted: (name: string) => `${name} is not completed any more`,
  toArchive: 'Nothing asks for it any more? Archive it from the menu of the flag.',
} as const;

const KB = 1000;
const bytes = (value: number) =>
  value < 10 * KB ? `${numberText(value)} B` : `${numberText(Math.round(value / KB))} kB`;

export const cost = {
  title: 'Cost',
  lead: 'How near the rules are to the limits of this Burgee. A change above a limit is refused.',
  names: {
    evaluationCost: 'Evaluation',
    expressionCost: 'Conditions',
    featureBytes: 'Size for SDKs',
    storedFeatureBytes: 'Stored size',
    strategies: 'Strategies',
    constraints: 'Constraints',
    constraintValues: 'Values',
    segments: 'Segments',
  },
  hints: {
    evaluationCost: 'Time to evaluate the flag once, for the slowest possible context',
    expressionCost: 'Time to prepare its conditions after a change',
    featureBytes: 'What each SDK gets, with its segments',
    storedFeatureBytes: 'Of all its environments together',
    strategies: 'In this environment',
    constraints: 'Of the strategy that has most',
    constraintValues: 'Of the constraint that has most',
    segments: 'Of the strategy that has most',
  },
  values: {
    evaluationCost: (value: number) => `${numberText(Math.round(value * 10) / 10)} µs`,
    expressionCost: (value: number) => `${numberText(Math.round(value) / 10)} µs`,
    featureBytes: bytes,
    storedFeatureBytes: bytes,
  } as Readonly<Record<string, (value: number) => string>>,
  of: (value: string, limit: string) => `${value} of ${limit}`,
  share: (share: number) => (share > 0 && share < 0.001 ? '< 0.1%' : numberText(share, 'percent')),
  near: 'near the limit',
  over: 'at the limit',
  inEnvironment: (environment: string) => `Cost in ${environment}`,
  meter: (name: string, environment: string) => `${name} in ${environment}`,
} as const;
