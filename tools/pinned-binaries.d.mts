export const LIST: string;
export const PACKAGE: string;
export function recordedHashes(list?: string): Map<string, string>;
export function sha256Of(path: string): string;
export function differenceFromList(folder: string): string | undefined;
