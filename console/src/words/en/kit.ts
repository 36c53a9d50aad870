import { numberText } from '../../kit/NumberText.tsx';

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
  searching: 'Searching …',
  noMatch: 'Nothing matches',
  chosen: (count: number) => `${numberText(count)} chosen`,
  removeByKey: 'Press Delete or Backspace to remove',
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
