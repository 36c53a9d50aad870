/** Texts of the receipt of a save. */
export const receiptWords = {
  honest: 'Given to the SDKs. Burgee does not know whether they applied it. Browsers that poll are not followed.',
  last: 'The last save',
  lost: 'How far it has come is not known.',
} as const;
