/** Reports progress to the user. */
export type Progress = (what: string, done: number, of: number) => void;
