import { asBoolean, asNumber, asText } from '../../base/converted-scalars.ts';

/** A JSON object of another program. The functions below return a value of the expected type, or a default if the type is different. */
export type Loose = Readonly<Record<string, unknown>>;

export function object(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};
}

export function list(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value.map(object) : [];
}

/** The texts of a list. Numbers and booleans are converted; other items are left out. */
export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(asText).filter((each) => typeof each === 'string') : [];
}

/** The value as text. Numbers and booleans are converted, because older versions wrote them instead of texts. */
export function text(value: unknown, fallback = ''): string {
  const converted = asText(value);
  return typeof converted === 'string' ? converted : fallback;
}

export function textOrNull(value: unknown): string | null {
  const converted = asText(value);
  return typeof converted === 'string' ? converted : null;
}

/** The number; a text that is a number counts. */
export function number(value: unknown, fallback: number): number {
  const converted = asNumber(value);
  return typeof converted === 'number' ? converted : fallback;
}

export function integer(value: unknown, fallback: number): number {
  const converted = number(value, fallback);
  return Number.isInteger(converted) ? converted : fallback;
}

export function isTrue(value: unknown): boolean {
  return asBoolean(value) === true;
}

/** The value as a time in RFC 3339 format. Undefined if it is not a time. */
export function time(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The reason of a refusal, read from the answer. */
export function reasonOf({ status, text: body }: { readonly status: number; readonly text: string }): string {
  try {
    return text(object(JSON.parse(body)).message) || String(status);
  } catch {
    return String(status);
  }
}
