/** Reports progress to the user: `done` of `of` items. `what` names the items and the action, for example `flags read`. */
export type Progress = (what: string, done: number, of: number) => void;
