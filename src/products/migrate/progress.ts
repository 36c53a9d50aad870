/** How far something is, for people. */
export type Progress = (what: string, done: number, of: number) => void;
