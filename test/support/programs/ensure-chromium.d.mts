export function chromiumFile(): string | undefined;
