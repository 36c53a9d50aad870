/** JSON of another program: a value that is read has its type, or a default replaces it. */
export type Loose = Readonly<Record<string, unknown>>;

export function object(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};
}

export function list(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value.map(object) : [];
}

/** Text of a list; what is none is left out. */
export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** Numbers and booleans as text, as older versions wrote them. */
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

/** As RFC 3339 has it; undefined when it is no time. */
export function time(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Why something is refused, as the answer says it. */
export function reasonOf({ status, text: sent }: { readonly status: number; readonly text: string }): string {
  try {
    return text(object(JSON.parse(sent)).message) || String(status);
  } catch {
    return String(status);
  }
}
