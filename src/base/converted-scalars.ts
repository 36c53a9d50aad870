/** A number or a boolean as text; any other value unchanged. */
export function asText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

/** A text that is a number as this number; any other value unchanged. */
export function asNumber(value: unknown): unknown {
  if (typeof value !== 'string' || value.trim() === '') return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

/** "true", "false", 1 and 0 as booleans; any other value unchanged. */
export function asBoolean(value: unknown): unknown {
  if (value === 'true' || value === 1) return true;
  return value === 'false' || value === 0 ? false : value;
}
