const UNDONE = 'Undone: ';
const DONE_AGAIN = 'Done again: ';

const BY_OTHERS = 'ask a person who needs no review to undo it';

function reviewHint({ flags, segments }: { readonly flags: number; readonly segments: number }): string {
  const hints: string[] = [];
  if (flags > 0) {
    const where = flags === 1 ? 'the flag' : 'each of the flags';
    hints.push(`Make the opposite change on ${where}: “Review” adds it to a change request.`);
  }
  if (segments > 0) {
    const what = segments === 1 ? 'the segment' : 'the segments';
    hints.push(`Request the opposite change of ${what} through the API (action updateSegment), or ${BY_OTHERS}.`);
  }
  return hints.join(' ') || `Request the opposite change, or ${BY_OTHERS}.`;
}

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
  /** `why`: the server's sentence. After its colon it says how to request the same change with the API, which would not be the undo. */
  needsReview: (why: string, changed: { readonly flags: number; readonly segments: number }) =>
    `${why.split(':')[0] || 'The undo has to be reviewed'}. ${reviewHint(changed)}`,
  cannot: 'It cannot be undone: the reason is above.',
} as const;
