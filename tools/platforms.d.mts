/** Major version of Node → number of its binary interface. */
export const ABI_OF_NODE: Readonly<Record<number, number>>;
export function needsTable(): string;
export function systemsTable(): string;
export function muslOfTools(): readonly { readonly package: string; readonly hasMusl: boolean }[];
export function withPlatformTables(page: string): string;
