import { numberText } from '../number-text.ts';
import { onFirstUse } from '../on-first-use.ts';

const seconds = onFirstUse(() => new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 }));

/** Words of the parts of the kit. */
export const kit = {
  required: 'required',
  /** What a switch does when it is pressed. */
  switches: {
    saves: 'Saves at once, and offers to undo it',
    joins: 'Joins the unsaved changes',
    asks: 'Opens the review before it saves',
  },
  production: 'production',
  protected: 'Changes need a review',
  remove: (what: string) => `Remove ${what}`,
  copy: (what: string) => `Copy ${what}`,
  copied: 'Copied',
  notCopied: 'The browser did not allow copying. Select the text and copy it.',
  close: 'Close',
  clear: 'Clear',
  showOptions: 'Show the options',
  newValue: (text: string) => `New: ${text}`,
  searching: 'Searching…',
  noMatch: 'Nothing matches',
  chosen: (count: number) => `${numberText(count)} chosen`,
  removeByKey: 'Press Delete or Backspace to remove',
  selectAll: 'Select all rows',
  select: (name: string) => `Select ${name}`,
  lists: 'Lists',
  today: 'Today',
  yesterday: 'Yesterday',
  nextRow: 'Next row',
  previousRow: 'Previous row',
  noChanges: 'No changes',
  showJson: 'Show as JSON',
  hideJson: 'Hide JSON',
  jsonDifference: 'The difference as JSON',
  changeKinds: { added: 'Added:', removed: 'Removed:', changed: 'Changed:' },
  draft: 'Draft',
  unsaved: (count: number) => (count === 1 ? '1 unsaved change' : `${numberText(count)} unsaved changes`),
  inProduction: 'in production',
  unsavedChanges: 'Unsaved changes',
  review: 'Review',
  discard: 'Discard',
  receipt: 'Delivery of the change',
  saved: 'Saved. Waiting for the first SDK…',
  noSdks: 'Saved. No SDK that gets this change is connected',
  givenTo: (given: number, all: number) =>
    `given to ${numberText(Math.floor((given / all) * 100) / 100, 'percent')} of ${all === 1 ? '1 SDK' : `${numberText(all)} SDKs`}`,
  givenToAll: (all: number) => (all === 1 ? 'given to the only SDK' : `given to all ${numberText(all)} SDKs`),
  halfWithin: (ms: number, all: number) =>
    `${all === 1 ? '' : 'half of them '}within ${seconds().format(ms / 1000)}\u00a0s`,
  slowest: (name: string, environment: string) => `slowest: ${name} (${environment})`,
  unknown: (count: number) => `${numberText(count)} unknown`,
  details: 'Details',
  undo: 'Undo',
  notices: 'Notices',
  dismiss: 'Dismiss',
  loading: 'Loading',
  pages: 'Pages',
  previousPage: 'Previous page',
  nextPage: 'Next page',
  isFirstPage: 'This is the first page',
  isLastPage: 'This is the last page',
  shownOf: (first: number, last: number, total: number | undefined) =>
    `${numberText(first)}–${numberText(last)}${total === undefined ? '' : ` of ${numberText(total)}`}`,
};
