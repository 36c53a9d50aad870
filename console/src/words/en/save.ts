import type { Place } from '../../domain/contexts.ts';
import { onFirstUse } from '../on-first-use.ts';
import { hasNumber } from './change-requests.ts';

/** The title that a change request gets first has its number already. */
const titled = (title: string, id: number) => `“${title}”${hasNumber(title, id) ? '' : ` (#${id})`}`;

const clock = onFirstUse(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }));
const day = onFirstUse(() => new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' }));
const dayAndClock = (at: Date) => `${day().format(at)}, ${clock().format(at)}`;

const dayOfYearAndClock = onFirstUse(
  () => new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' }),
);

/** When a change is made that waits. */
export const laterText = (at: Date): string =>
  at.getFullYear() === new Date().getFullYear() ? dayAndClock(at) : dayOfYearAndClock().format(at);

/** Texts of saving: the same everywhere. */
export const save = {
  review: 'Review',
  discard: 'Discard',
  /** Followed by a time. */
  restored: 'Not saved yet, typed',
  typed: 'typed',
  unsaved: (count: number) => `${count} unsaved ${count === 1 ? 'change' : 'changes'}`,
  title: (feature: string, environment: string) => `Save ${feature} in ${environment}`,
  difference: 'What changes',
  exact: 'Exact values',
  before: 'Before',
  after: 'After',
  rule: 'Afterwards',
  milestoneStarts: (milestone: string) => `Milestone **${milestone}** of the release plan starts`,
  defaultAdded: (rule: string) => `The default strategy of the project is added: ${rule}`,
  whoChanges: 'Who changes?',
  contexts: (count: string, ids: string, id: string, combined: readonly string[]) =>
    combined.length === 0
      ? `Of ${count} contexts, each with a made-up ${id}.`
      : `Of ${count} contexts: ${ids} made-up values of ${id}, combined with ${combined.join(' and ')}.`,
  notMadeUp: (fields: readonly string[]) =>
    fields.length === 1
      ? `No values are made up for \`${fields[0]}\`, because this context field is not defined: none of these contexts has it.`
      : `No values are made up for ${fields.map((name) => `\`${name}\``).join(', ')}, because these context fields are not defined: none of these contexts has them.`,
  chosenContexts: (count: string, set: string | undefined) =>
    set === undefined ? `Of ${count} pasted contexts.` : `Of the ${count} contexts of “${set}”.`,
  valuesOf: (count: string, field: string) => `${count} values of ${field}`,
  meeting: (count: string, constraints: readonly string[]) =>
    `${count} contexts meet the constraints: ${constraints.join(' and ')}.`,
  offToOn: (count: string) => `${count} off → on`,
  onToOff: (count: string) => `${count} on → off`,
  otherVariant: (count: string) => `${count} another variant`,
  unchanged: (count: string) => `${count} the same`,
  place: ({ isList, at }: Place) => `${isList ? 'Context' : 'Line'} ${at}`,
  staysOn: (on: string, same: string) => `The flag is on for ${on} of these ${same}, before and after.`,
  staysOnByOther: (on: string, same: string) =>
    `The flag is already on for ${on} of these ${same}, by another strategy.`,
  measures: {
    evaluationCost: 'time to evaluate it',
    expressionCost: 'time to prepare its conditions',
    featureBytes: 'its size for SDKs',
    storedFeatureBytes: 'its stored size',
  },
  nearestLimit: (name: string, after: string, before: string) =>
    `Nearest limit: ${name} is ${after} of what is allowed (${before} before)`,
  madeUp: 'Made-up ids are no real users: the numbers show the size of the change.',
  trying: 'Trying the change…',
  flagStaysOff: 'The flag is off here, so nothing changes for SDKs until it is switched on.',
  alsoAffected: (names: string) => `Also affected: ${names}`,
  reason: 'Why?',
  reasonHint: 'Kept in the audit log.',
  reasonNeeded: 'This environment requires a reason.',
  saveTo: (environment: string) => `Save to ${environment}`,
  later: 'Later…',
  laterTimes: {
    hour: (at: Date) => `In an hour, ${clock().format(at)}`,
    tonight: (at: Date) => `Tonight, ${clock().format(at)}`,
    tomorrow: (at: Date) => `Tomorrow, ${clock().format(at)}`,
    monday: dayAndClock,
  },
  anyTime: 'Another time…',
  laterAt: 'Time',
  saveThen: 'Save then',
  notLater: 'Choose a time that is still to come',
  scheduled: (id: number, at: Date) =>
    `It will be saved ${laterText(at)}, by change request ${id}. There it can be cancelled.`,
  scheduledRequest: (id: number, at: string) => `Will be saved ${laterText(new Date(at))} by change request ${id}`,
  copyCurl: 'Copy as curl',
  copyLink: 'Copy link',
  notListed: 'Others saved changes in the meantime. Save to see them.',
  nothingToSave: 'Nothing is changed yet.',
  linkTooLong: 'Too many flags for a link.',
  request: 'Add to a change request',
  reviewNeeded: 'Changes in this environment need a review.',
  requestHint: 'This makes a draft of a change request, which you then send to review.',
  requestHintDraft: (title: string, id: number, flags: string) =>
    `This adds yours to your draft ${titled(title, id)}${flags && `, which also changes ${flags}`}.`,
  skipHint: 'It is saved at once, without a review.',
  reviewSkippable: 'This environment asks for a review.',
  skipOffer: 'Or choose “Save without a review”: then it is saved at once.',
  howToSave: 'How to save it',
  addToDraft: (title: string, id: number) => `Add to ${titled(title, id)}`,
  newRequest: 'New change request',
  skipReview: 'Save without a review',
  requested: (id: number) => `Added to change request ${id}. Open it to send it to review.`,
  saved: 'Saved',
  partly: 'A part was saved before the error.',
  changedMeanwhile: 'Others saved changes in the meantime. Yours are kept on top of theirs.',
  conflicts: 'Both changed the same',
  mine: 'Keep mine',
  theirs: 'Take theirs',
  yours: 'Yours',
  nowSaved: 'Saved by others',
  fields: {
    enabled: 'On or off',
    title: 'Title',
    disabled: 'Off',
    constraints: 'Constraints',
    segments: 'Segments',
    variants: 'Variants',
    deleted: 'The whole strategy',
    name: 'Kind of strategy',
    rollout: 'Rollout',
    stickiness: 'Stickiness',
    groupId: 'Group',
  } as Readonly<Record<string, string>>,
} as const;
