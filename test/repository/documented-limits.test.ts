import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url).pathname;
const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) =>
    /^(engine|evaluation|features|http|model|products\/(mirror|offline|relay|server))\/.*\.ts$/.test(name),
  )
  .map((name) => join(ROOT, 'src', name));
const textOf = new Map(sources.map((path) => [path, readFileSync(path, 'utf8')]));

const page = readFileSync(join(ROOT, 'docs/reference/limits.md'), 'utf8');

/** Every number in the tables of a part of docs/reference/limits.md. */
function numbersIn(part: string): number[] {
  const rows = part.split('\n').filter((line) => line.startsWith('|'));
  const numbers = rows.flatMap((row) => row.split('|')).flatMap((cell) => cell.match(/\d[\d,]*/g) ?? []);
  return numbers.map((number) => Number(number.replaceAll(',', '')));
}

/** Whether the constant is a limit of the table that the documentation is generated from. */
function isLimit({ path, name }: { readonly path: string; readonly name: string }): boolean {
  return new RegExp(`const ${name} = [A-Z_]+_LIMITS\\.\\w+\\.max;`).test(textOf.get(path) ?? '');
}

/** The number that a constant has: stated in this file, or in the file from which it is imported. Undefined if it is not one number. */
function numberOf(path: string, name: string): number | undefined {
  const text = textOf.get(path) ?? readFileSync(path, 'utf8');
  const stated = new RegExp(`const ${name} = ([\\d_* ]+);`).exec(text)?.[1];
  if (stated !== undefined)
    return stated.split('*').reduce((product, factor) => product * Number(factor.replaceAll('_', '').trim()), 1);
  const renamed = new RegExp(`const ${name} = ([A-Z][A-Z0-9_]*);`).exec(text)?.[1];
  if (renamed !== undefined) return numberOf(path, renamed);
  const from = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '(\\.[^']+)'`).exec(text)?.[1];
  return from === undefined ? undefined : numberOf(join(dirname(path), from), name);
}

/** A refusal that names its limit: `at most ${X}`. */
const NAMED = /(?:at most|more than|maximum is|longer than|larger than) \$\{([A-Z][A-Z0-9_]*)\}/g;
/** Constants for quotas of callers, and the constants of files that refuse requests of callers who send too many. */
const QUOTA = /const ([A-Z_]*(?:_EACH_MAX|_OF_(?:CALLER|TOKEN|ADDRESS|ONE)_MAX)) =/g;
const REFUSES_TOO_MANY = /'TooManyRequestsError'|TOO_MANY = unavailable/;
const MAXIMUM = /^(?:export )?const ([A-Z_]+_MAX) = [\d_* ]+;/gm;

/** Constants in files that refuse requests, which refuse nothing themselves: they bound what is kept or done at a time. */
const REFUSE_NOTHING: Readonly<Record<string, readonly string[]>> = {
  'http/streams/subscribers.ts': ['FRAMES_MAX'],
  'features/past/past-state.ts': ['ROUNDS_MAX'],
  'features/events/search.ts': ['BATCHES_MAX', 'BATCH_EVENTS_MAX'],
  'products/relay/upstream.ts': ['SMALL_BYTES_MAX'],
  'products/relay/unknown-tokens.ts': ['REQUESTS_MAX', 'UNKNOWN_MAX'],
  'features/usage/metrics-routes.ts': ['HOURS_KEPT'],
  'features/sign-on/oidc/client.ts': ['ANSWER_BYTES_MAX', 'SUBJECT_LENGTH_MAX'],
  'features/sign-on/passwords/hashing.ts': ['CONCURRENT_MAX', 'MEMORY_BYTES_MAX'],
  'features/sign-on/login-guard.ts': ['NAMES_MAX'],
  'features/change-stream/presence.ts': ['TARGETS_MAX'],
};

const nameOf = (path: string) => path.slice(join(ROOT, 'src/').length);

interface Constant {
  readonly path: string;
  readonly name: string;
}

/** The constants that match the patterns and refuse something, without those of the generated table. */
function constantsOf(patternsOf: (text: string) => readonly RegExp[], exceptions = REFUSE_NOTHING): Constant[] {
  return sources
    .flatMap((path) => {
      const text = textOf.get(path) ?? '';
      const names = patternsOf(text).flatMap((pattern) => Array.from(text.matchAll(pattern), ([, name]) => name ?? ''));
      return [...new Set(names)].map((name) => ({ path, name }));
    })
    .filter(({ path, name }) => !exceptions[nameOf(path)]?.includes(name) && !isLimit({ path, name }));
}

/** A file with one quota usually has the others beside it. */
const quotasOf = (text: string) => (REFUSES_TOO_MANY.test(text) || text.search(QUOTA) >= 0 ? [QUOTA, MAXIMUM] : []);

describe('docs/reference/limits.md', () => {
  it('names the number of every refusal that names its limit', () => {
    const documented = new Set(numbersIn(page));
    const constants = constantsOf(() => [NAMED]);
    const missing = constants.filter(({ path, name }) => !documented.has(numberOf(path, name) ?? Number.NaN));
    expect(missing).toEqual([]);
    expect(constants.length).toBeGreaterThan(20);
  });

  it('has a cell for every number of requests at the same time', () => {
    const cells = numbersIn(page.slice(page.indexOf('## At the same time')));
    const constants = constantsOf(quotasOf);
    const missing = constants.filter(({ path, name }) => {
      const at = cells.indexOf(numberOf(path, name) ?? Number.NaN);
      if (at >= 0) cells.splice(at, 1);
      return at < 0;
    });
    expect(missing).toEqual([]);
    expect(constants.length).toBeGreaterThan(25);
  });

  it('is compared with constants that exist: no exception is left over', () => {
    const names = constantsOf((text) => [NAMED, ...quotasOf(text)], {}).map(
      ({ path, name }) => `${nameOf(path)}: ${name}`,
    );
    const exceptions = Object.entries(REFUSE_NOTHING).flatMap(([path, each]) => each.map((name) => `${path}: ${name}`));
    expect(exceptions.filter((exception) => !names.includes(exception))).toEqual([]);
  });
});
