/** Texts of release templates, and of the release plan of a flag in an environment. */

const UNITS = [
  { minutes: 1440, one: 'day', many: 'days' },
  { minutes: 60, one: 'hour', many: 'hours' },
  { minutes: 1, one: 'minute', many: 'minutes' },
] as const;

/** `2 hours`, `90 minutes`, `1 day`: the largest unit without a rest. */
export function minutesText(minutes: number): string {
  const unit = UNITS.find((one) => minutes % one.minutes === 0) ?? UNITS[2];
  const count = minutes / unit.minutes;
  return `${count} ${count === 1 ? unit.one : unit.many}`;
}

export const interval = {
  automatic: 'Start the next milestone by itself',
  after: 'After',
  unit: 'Unit',
  units: { minutes: 'minutes', hours: 'hours', days: 'days' },
  wrong: 'At least one minute, and at most 365 days',
} as const;

export const templates = {
  title: 'Release templates',
  titleOf: (project: string) => `Release templates of ${project}`,
  leadOf:
    'Only flags of this project get plans of them. They can use the segments and the context fields of the project.',
  owner: 'Whose templates',
  ofAll: 'Of all projects',
  ofProject: (name: string) => `Of ${name}`,
  lead: 'A release template has milestones, each with its own strategies. A flag that gets a plan of it is released from one milestone to the next.',
  create: 'Create release template',
  none: 'There is no release template yet.',
  columns: { name: 'Template', milestones: 'Milestones', created: 'Created' },
  shown: 'Which templates',
  active: 'Active',
  archivedOnes: 'Archived',
  archived: 'Archived: no plan can be made of it. Plans of it stay.',
  newTitle: 'New release template',
  descriptionHint: 'When to use it. It is shown where a plan is added.',
  milestones: 'Milestones',
  milestonesHint: 'They are started in this order. A flag has the strategies of one milestone at a time.',
  addMilestone: 'Add milestone',
  milestone: (position: number) => `Milestone ${position}`,
  usual: { first: 'First users', half: 'Half', everyone: 'Everyone' },
  milestoneMissing: 'A milestone has no name',
  strategyMissing: (milestone: string) => `${milestone} has no strategy`,
  addStrategy: 'Add strategy',
  strategyTitle: (milestone: string) => `Strategy of ${milestone}`,
  gone: 'This strategy is not in the template any more.',
  notFlagHint: 'A template can use the segments and the context fields of all projects.',
  use: 'To use it, open a flag: “Add release plan” is below the strategies of each environment.',
  plansStay: 'Plans that were made of it stay as they are.',
  saveTitle: (name: string) => `Save ${name}`,
  created: (name: string) => `Release template ${name} created`,
  saved: (name: string) => `Release template ${name} saved`,
  archiveTitle: (name: string) => `Archive ${name}?`,
  archiveEffects: ['No plan can be made of it any more.', 'Plans that were made of it stay as they are.'] as const,
  archiveLabel: 'Archive',
  wasArchived: (name: string) => `${name} is archived`,
  deleteEffects: ['The template is gone.', 'Plans that were made of it stay as they are.'] as const,
  deleted: (name: string) => `Release template ${name} deleted`,
  differences: {
    milestoneAdded: (name: string) => `Milestone added: ${name}`,
    milestoneRemoved: (name: string) => `Milestone removed: ${name}`,
    order: 'Order of milestones changed',
    renamed: (before: string, after: string) => `Milestone ${before} → ${after}`,
    byHand: (name: string) => `${name}: a person starts the next one`,
    after: (name: string, time: string) => `${name}: the next one starts after ${time}`,
    strategyAdded: (name: string, rule: string) => `${name} — strategy added: ${rule}`,
    strategyRemoved: (name: string, rule: string) => `${name} — strategy removed: ${rule}`,
    strategyOrder: (name: string) => `${name} — order of strategies changed`,
    strategyChanged: (name: string, what: string) => `${name} — ${what}`,
  },
} as const;

export const plans = {
  add: 'Add release plan…',
  addShown: 'Add release plan',
  addTitle: (environment: string) => `Add a release plan in ${environment}`,
  template: 'Release template',
  noTemplates: 'There is no release template yet.',
  toTemplates: 'Release templates',
  hasOne: 'It has a release plan already',
  addOn: (milestone: string) => `The flag is on: **${milestone}** starts at once.`,
  addOff: (milestone: string) => `**${milestone}** starts when the flag is switched on.`,
  addKeeps: 'Strategies that are there already stay, beside those of the plan.',
  replace: 'Replace the strategies that are there',
  addReplaces: (rules: readonly string[]) =>
    `These strategies are removed: ${rules.map((rule) => `**${rule}**`).join(', ')}.`,
  everyoneStays:
    'A strategy that is there already is for everyone. As long as it stays, no milestone changes who gets the flag.',
  everyoneBeside:
    'A strategy beside the plan is for everyone. As long as it stays, no milestone changes who gets the flag.',
  milestoneShown: 'With which milestone',
  whenOn: 'The flag is off now. This is when it is switched on:',
  addLabel: 'Add the plan',
  added: (name: string) => `Release plan ${name} added`,

  title: 'Release plan',
  actions: 'Actions for the release plan',
  milestones: 'Milestones',
  states: { done: 'Done', active: 'Active', next: 'Next', later: 'Later' },
  started: 'started',
  nextAt: 'The next one starts',
  waits: 'It starts when the flag is switched on.',
  waitsForPerson: 'A person starts the next one.',
  afterTime: (time: string) => `The next one starts after ${time}.`,
  flagOff: 'The time begins again when the flag is switched on.',
  ofMilestoneStays: (name: string) =>
    `It belongs to the milestone ${name}: start another milestone, or remove the release plan`,
  ofMilestone: (name: string) => `Of the milestone ${name}`,

  start: 'Start…',
  startOf: (name: string) => `Start ${name}…`,
  startTitle: (name: string, environment: string) => `Start milestone “${name}” in ${environment}?`,
  ruleNow: 'Now',
  startReplaces: (before: string, after: string) =>
    `The strategies of **${after}** take the place of those of **${before}**.`,
  startFirst: (after: string) => `The flag gets the strategies of **${after}**.`,
  startBack: 'This is a milestone before the active one.',
  startOff: 'The flag is off here, so nothing changes for SDKs until it is switched on.',
  startLabel: 'Start',
  wasStarted: (name: string) => `Milestone ${name} started`,

  paused: 'Paused',
  pausedSince: 'No milestone starts by itself. Paused',
  pause: 'Pause…',
  pauseTitle: 'Pause the release plan?',
  pauseEffects: [
    'The active milestone stays as it is.',
    'No milestone starts by itself until the plan continues.',
  ] as const,
  pauseLabel: 'Pause',
  wasPaused: 'The release plan is paused',
  resume: 'Continue…',
  resumeTitle: 'Continue the release plan?',
  resumeEffects: ['The time of the active milestone begins again.'] as const,
  resumeLabel: 'Continue',
  wasResumed: 'The release plan continues',

  remove: 'Remove the plan…',
  removeTitle: (name: string) => `Remove the release plan ${name}?`,
  removeStrategies: (milestone: string) => `The strategies of **${milestone}** are removed.`,
  removeOff: 'If no other strategy is active, the flag is switched off.',
  removeLabel: 'Remove',
  wasRemoved: (name: string) => `Release plan ${name} removed`,

  time: 'Change the time…',
  timeTitle: (name: string) => `When does ${name} end?`,
  timeSaved: (name: string) => `The time of ${name} is saved`,
} as const;
