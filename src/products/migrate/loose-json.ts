/** JSON of another program: the readers below return a value of the expected type, or a default. */
export type Loose = Readonly<Record<string, unknown>>;

export function object(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};
}

export function list(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value.map(object) : [];
}

/** The texts of a list; other items are left out. */
export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** Converts numbers and booleans to text, because older versions wrote them. */
export function text(value: unknown, otherwise = ''): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : otherwise;
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function whole(value: unknown, otherwise: number): number {
  return Number.isInteger(value) ? (value as number) : otherwise;
}

export function flag(value: unknown): boolean {
  return value === true;
}

/** In RFC 3339 format; undefined when the value is not a time. */
export function time(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The reason of a refusal, from the answer. */
export function reasonOf({ status, text: sent }: { readonly status: number; readonly text: string }): string {
  try {
    return text(object(JSON.parse(sent)).message) || String(status);
  } catch {
    return String(status);
  }
}
