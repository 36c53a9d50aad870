/** How long browsers may remember a preflight's answer. They cap it at two hours or less themselves. */
const PREFLIGHT_MAX_AGE_S = 7_200;

/** Lets pages of the allowed origins read the answer, errors included: a browser hides what these headers do not open. */
export function crossOriginHeaders(origin: string, allowed: readonly string[]): Readonly<Record<string, string>> {
  const exposed = { 'access-control-expose-headers': 'ETag, Retry-After' };
  if (allowed.includes('*')) return { 'access-control-allow-origin': '*', ...exposed };
  // The answer depends on who asks, which caches must know.
  if (!allowed.includes(origin)) return { vary: 'origin' };
  return { 'access-control-allow-origin': origin, vary: 'origin', ...exposed };
}

/** The headers of SDKs are many and differ from one to the next; whichever are asked for are allowed. */
export function preflightHeaders(methods: readonly string[], wanted: string): Readonly<Record<string, string>> {
  const isListOfNames = /^[\w\-, ]{1,2000}$/.test(wanted);
  return {
    'access-control-allow-methods': methods.join(', ').toUpperCase(),
    'access-control-allow-headers': isListOfNames ? wanted : 'authorization, content-type',
    'access-control-max-age': String(PREFLIGHT_MAX_AGE_S),
  };
}
