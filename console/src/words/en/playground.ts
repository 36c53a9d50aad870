import { numberText } from '../number-text.ts';

/** A sentence names so many fields. */
const NAMED_MAX = 8;

function listed(names: readonly string[]): string {
  const rest = names.length - NAMED_MAX;
  const all = rest > 0 ? [...names.slice(0, NAMED_MAX), `${numberText(rest)} more`] : names;
  return all.length === 1 ? String(all[0]) : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

/** Texts of the playground. */
export const playground = {
  title: 'Playground',
  lead: 'See what flags return for the contexts that you enter, and why. Nothing is saved, and SDKs notice nothing.',
  environmentsMissing: 'Choose at least one environment',
  at: 'As of',
  revision: (at: string) => `r${at}`,
  asNow: 'As of now',
  atHint: 'Leave it empty to use the current flags. A time uses the flags as they were then.',
  contexts: 'Contexts',
  modes: { fields: 'Fields', pasted: 'Paste' },
  fieldName: 'Field',
  fieldValue: 'Value',
  newField: 'A context field that is not defined',
  newValue: 'No legal value of the field',
  fieldsHint: 'Several values are separated by commas: each combination is evaluated.',
  moreFields: (names: readonly string[]) => `The flag also uses ${listed(names)}: add them with the button above.`,
  addField: 'Add field',
  unnamedField: 'the field',
  pasted: 'Contexts as JSON',
  pastedHint:
    'An object, an array of objects, or one object on each line. A value with commas counts as several values.',
  evaluate: 'Evaluate',
  outOfDate: 'The form has changed since this result.',
  evaluateAgain: 'Evaluate again',
  results: 'Results',
  counts: (flags: number, contexts: number) =>
    `${numberText(flags)} ${flags === 1 ? 'flag' : 'flags'}, ${numberText(contexts)} ${contexts === 1 ? 'context' : 'contexts'}`,
  notYet: 'Enter a context, such as the id of a user, and see what every flag answers.',
  notYetFor: (flag: string) => `Enter a context, such as the id of a user, and see what ${flag} answers, and why.`,
  example: 'Evaluate an example',
  command: 'Evaluate from a shell',
  noFlags: 'There is no flag in these environments and projects.',
  failed: 'This was not evaluated.',
  show: 'Show',
  shows: { all: 'All', on: 'On', differs: 'Differs' },
  on: 'ON',
  off: 'OFF',
  unknown: 'Unknown',
  someOn: (on: number, all: number) => `${numberText(on)} of ${numberText(all)} on`,
  missing: 'not there',
  tooLong:
    'These contexts are too long for an address: after a reload they are gone. The link of one result still works.',
  explain: {
    title: (flag: string) => flag,
    environment: 'Environment',
    context: 'Context',
    link: 'link to this result',
    linkAsNow: 'link as of this moment',
    asOf: 'As of',
    openFlag: 'Open the flag',
    mayDiffer: (names: readonly string[]) =>
      `The answer may differ: ${listed(names)} ${names.length === 1 ? 'is' : 'are'} not given.`,
    why: 'Why',
    variant: 'Variant',
    payload: 'Payload',
    onNoStrategies: (environment: string) => `ON: the flag is on in \`${environment}\` and has no strategies.`,
    on: (sign: string) => `ON: strategy ${sign} is true for this context.`,
    onOnly: 'ON: its only strategy is true for this context.',
    offEnvironment: (environment: string) => `OFF: the flag is off in \`${environment}\`.`,
    offDependency: 'OFF: a flag that it depends on does not have the required state.',
    offStrategies: 'OFF: no strategy is true for this context.',
    offDisabled: 'OFF: all of its strategies are off.',
    offHere: 'off here',
    byParent: 'by a flag that it depends on',
    allDisabled: 'all strategies are off',
    noneTrue: (count: number) =>
      count === 1 ? 'the strategy is not true' : `none of ${numberText(count)} strategies is true`,
    unknown: 'Unknown: the SDK decides, because the strategy is a custom one.',
    strategies: 'Strategies',
    noStrategies: 'It has none.',
    /** `sign`: empty for the only strategy. */
    strategy: (sign: string, title: string) => (title ? `${sign} ${title}` : `Strategy ${sign}`).trim(),
    isTrue: 'true',
    isFalse: 'false',
    isUnknown: 'only the SDK knows',
    isDisabled: 'off',
    notReached: 'not asked',
    segment: (name: string) => `segment ${name}`,
    given: (value: string) => `given: ${value}`,
    notGiven: 'not given',
    /** `covered`: the rollout is on up to this position. */
    position: (position: number, covered: string) => `Position ${position} of 100; the rollout covers ${covered}.`,
    invalid: (names: string) => `Left out, because they are not texts: ${names}`,
  },
} as const;
