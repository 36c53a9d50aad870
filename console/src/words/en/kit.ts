import { onFirstUse } from '../../kit/on-first-use.ts';
import { numberText } from '../../kit/texts/number-text.ts';

const seconds = onFirstUse(
  () =>
    new Intl.NumberFormat(undefined, {
      style: 'unit',
      unit: 'second',
      unitDisplay: 'narrow',
      maximumSignificantDigits: 2,
    }),
);

/** Words of the parts of the kit. */
export const kit = {
  required: 'required',
  asksFirst: 'Asks before it saves',
  production: 'production',
  protected: 'Changes need a change request',
  remove: (what: string) => `Remove ${what}`,
  copy: (what: string) => `Copy ${what}`,
  copied: 'Copied',
  notCopied: 'The browser did not allow copying. Select the text and copy it.',
  close: 'Close',
  clear: 'Clear',
  showOptions: 'Show the options',
  newValue: 'New value',
  searching: 'Searching…',
  noMatch: 'Nothing matches',
  chosen: (count: number) => `${numberText(count)} chosen`,
  removeByKey: 'Press Delete or Backspace to remove',
  selectAll: 'Select all rows',
  select: (name: string) => `Select ${name}`,
  lists: 'Lists',
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
  review: 'Review',
  discard: 'Discard',
  receipt: 'Delivery of the change',
  saved: 'Saved. Waiting for the first SDK…',
  noSdks: 'Saved. No SDK follows these environments now',
  givenTo: (given: number, all: number) =>
    `given to ${numberText(Math.floor((given / all) * 100) / 100, 'percent')} of ${numberText(all)} SDKs`,
  givenToAll: (all: number) => (all === 1 ? 'given to the only SDK' : `given to all ${numberText(all)} SDKs`),
  halfWithin: (ms: number) => `half within ${seconds().format(ms / 1000)}`,
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
