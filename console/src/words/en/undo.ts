const UNDONE = 'Undone: ';
const DONE_AGAIN = 'Done again: ';

/** Texts of an undo: the same wherever it is asked for. */
export const undo = {
  undo: 'Undo',
  does: (what: string) => `It makes this change: ${what}`,
  hint: 'Each field that this change set gets its earlier value. Other fields stay. This is a new change.',
  reason: 'Why?',
  cancel: 'Cancel',
  revision: (revision: number) => `r${revision}`,
  run: (revision: number) => `Undo r${revision}`,
  /** The undo of an undo does the change again. */
  done: (what: string) => {
    if (what.startsWith(UNDONE)) return DONE_AGAIN + what.slice(UNDONE.length);
    return UNDONE + (what.startsWith(DONE_AGAIN) ? what.slice(DONE_AGAIN.length) : what);
  },
  noPermission: 'You have no permission to change anything.',
  already: 'Nothing was undone: it already is as it was before.',
  left: (reason: string) => `Not restored: ${reason}`,
  refused: (why: string) => `It could not be undone: ${why}`,
  partly: (why: string) => `Only the newer part of it was undone: ${why}`,
  conflict: 'These fields were changed again since then, so this change cannot be undone:',
  conflictHint: 'Undo the later changes first, or set the fields yourself.',
  needsReview:
    'Changes of this environment need a review. Make the opposite change on the flag: “Review” adds it to a change request.',
  cannot: 'It cannot be undone: the reason is above.',
} as const;
