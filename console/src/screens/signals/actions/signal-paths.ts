/** So many paths are offered; others are typed. */
const PATHS_MAX = 200;
/** So many entries of a list. */
const ENTRIES_MAX = 3;

/** The paths of all texts, numbers and truth values of a signal, in its order: `commonLabels.alertname`, `alerts.0.status`. */
export function pathsOf(signal: unknown): readonly string[] {
  const found: string[] = [];
  const waiting: (readonly [path: string, value: unknown])[] = [['', signal]];
  for (let next = waiting.shift(); next !== undefined && found.length < PATHS_MAX; next = waiting.shift()) {
    const [path, value] = next;
    if (typeof value !== 'object' || value === null) {
      if (path !== '' && value !== null) found.push(path);
      continue;
    }
    const entries = Object.entries(value).slice(0, Array.isArray(value) ? ENTRIES_MAX : PATHS_MAX);
    waiting.unshift(...entries.map(([name, inner]) => [path === '' ? name : `${path}.${name}`, inner] as const));
  }
  return found;
}
