const UNDONE = 'Undone: ';
const DONE_AGAIN = 'Done again: ';

const these = (revisions: readonly number[]) =>
  revisions.length === 1 ? `r${revisions[0]}` : `${revisions.length} changes`;

/** Texts of an undo: the same wherever it is asked for. */
export const undo = {
  undo: 'Undo',
  does: (what: string) => `It makes this change: ${what}`,
  hint: 'The fields that this change wrote get their earlier values. Other fields stay. The undo is a new change.',
  reason: 'Why?',
  revision: (revision: number) => `r${revision}`,
  run: (revisions: readonly number[]) => `Undo ${these(revisions)}`,
  /** The undo of an undo does the change again. */
  done: (what: string) => {
    if (what.startsWith(UNDONE)) return DONE_AGAIN + what.slice(UNDONE.length);
    return UNDONE + (what.startsWith(DONE_AGAIN) ? what.slice(DONE_AGAIN.length) : what);
  },
  undoneBy: (name: string) => `Undone by ${name}`,
  noPermission: 'You have no permission to change anything.',
  already: 'Nothing was undone: it already is as it was before.',
  left: (reason: string) => `Not restored: ${reason}`,
  refused: (why: string) => `It could not be undone: ${why}`,
  partly: (why: string) => `Only the newer part of it was undone: ${why}`,
  conflict: 'These fields were changed again since then, so this change cannot be undone:',
  conflictHint: 'Undo the later changes first, or set the fields yourself.',
  /** A change request cannot have this undo, such as that of an archived flag. */
  needsReview: ({ project, environment }: { readonly project: string; readonly environment: string }) =>
    `Changes in the environment ${environment} of the project ${project} have to be reviewed, and a change request cannot have this undo. Request the opposite change, or ask a person who needs no review to undo it.`,
  onlyIn: (environment: string) =>
    `The change request undoes only what was changed in ${environment}. The rest of this change stays.`,
  request: (revisions: readonly number[]) => `Request undo of ${these(revisions)}`,
  cannot: 'It cannot be undone: the reason is above.',
} as const;

const newChanges = (count: number) => (count === 1 ? '1 new change' : `${count} new changes`);

/** Texts of new changes that a list holds back. */
export const held = {
  newChanges,
  show: (count: number) => `${newChanges(count)} – show`,
} as const;
