import { numberText } from '../../number-text.ts';

/** Texts of the history and the settings of a flag. */
export const history = {
  empty: 'Nothing has happened to it since Burgee keeps its history.',
  more: 'Show older changes',
  revision: (revision: number) => `r${revision}`,
  fields: (count: number) => (count === 1 ? '1 field' : `${numberText(count)} fields`),
  now: 'Now',
  who: (name: string) => name,
  moreChanges: 'There are further changes in this commit.',
  before: 'Before',
  after: 'After',
  details: 'Details',
  stateAfter: 'State after it',
  request: (title: string, id: number) => (title.endsWith(`#${id}`) ? title : `Change request #${id}: ${title}`),
  approvedBy: (names: string) => `approved by ${names}`,
} as const;

export const settings = {
  about: 'About',
  impressions: 'Impression data',
  impressionsHint: 'SDKs send an event each time the flag is asked for.',
  saved: 'Saved',
  discard: 'Discard',
  changedMeanwhile:
    'Others changed these fields in the meantime. Yours are still in the form; save again to keep them.',
  tagType: 'Type of the tag',
  tagValue: 'New tag',
  noTags: 'No tags',
  links: 'Links',
  noLinks: 'No links',
  url: 'Address',
  linkTitle: 'Title',
  addLink: 'Add link',
  removeLink: (title: string) => `Remove the link ${title}`,
  parent: 'Depends on',
  parentHint: 'It is on only where the parent is on.',
  noParent: 'On no other flag',
  addParent: 'Parent',
  parentState: 'When the parent is',
  parentOn: 'On',
  parentOff: 'Off',
  removeParent: (name: string) => `Remove the dependency on ${name}`,
  moveHint: 'Settings of environments that the other project does not have are lost.',
  moveTo: 'Move to',
  moveRun: 'Move',
  moved: (name: string, project: string) => `${name} was moved to ${project}`,
} as const;

export const archive = {
  title: (name: string) => `Archive ${name}`,
  text: 'It is switched off in every environment. SDKs get false, or the default of the code. It can be revived later, and is off then.',
  blocked: (names: string) => `Other flags need it: ${names}. Remove these dependencies first.`,
  seen: 'SDKs asked for it lately: remove it from the code first.',
  run: 'Archive',
  done: (name: string) => `${name} was archived`,
  revived: (name: string) => `${name} was revived. It is off in every environment.`,
} as const;
