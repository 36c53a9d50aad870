import { numberText } from '../../kit/NumberText.tsx';

const seconds = (ms: number) => `${(ms / 1000).toLocaleString(undefined, { maximumFractionDigits: ms < 10_000 ? 1 : 0 })} s`;

/** Texts of the receipt of a save. */
export const receiptWords = {
  label: 'Receipt of the last save',
  revision: (revision: number) => `r${revision}`,
  waiting: 'Sending to SDKs…',
  noSdks: 'No connected SDK is concerned',
  share: (share: number, concerned: number) => `${numberText(share, 'percent')} of ${numberText(concerned)} SDKs`,
  p50: (ms: number) => `half within ${seconds(ms)}`,
  last: (ms: number) => `all within ${seconds(ms)}`,
  lagging: (app: string, environment: string) => `waiting for ${app} (${environment})`,
  slowest: (app: string, environment: string) => `slowest: ${app} (${environment})`,
  unknown: (count: number) => `${numberText(count)} connected later`,
  honest: 'Given to the SDKs. Burgee does not know whether they applied it. Browsers that poll are not followed.',
  undo: 'Undo',
  undoing: 'Undoing…',
  undone: (revision: number | null) => (revision === null ? 'Undone' : `Undone as r${revision}`),
  notUndone: 'It could not be undone.',
  close: 'Close the receipt',
} as const;
