import { withoutCredentials } from './without-credentials.ts';

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * How an option's text is read. `list` is comma-separated; `path` becomes "" or "/something", however it is written; `url` is "" or an address with
 * its scheme, which is shown without a name and a password in it.
 */
type Kind = 'text' | 'path' | 'url' | 'integer' | 'boolean' | 'list' | readonly string[];

/** What may be set from outside: one line of a list of options. */
export interface Option {
  /** Environment variables that set it; the first one found wins, but a list is what all of them name together. */
  readonly env: readonly string[];
  readonly kind: Kind;
  readonly default: string;
  readonly description: string;
  /** Smallest value of an integer: 0 without it. */
  readonly min?: number;
  /** Largest value of an integer; of milliseconds, what a timer can take. */
  readonly max?: number;
  /** Never shown, not even in error messages. */
  readonly secret?: boolean;
}

type ValueOf<K extends Kind> = K extends 'integer'
  ? number
  : K extends 'boolean'
    ? boolean
    : K extends 'list'
      ? readonly string[]
      : K extends readonly (infer Choice)[]
        ? Choice
        : string;

/** The values of a list of options, by their names. */
export type Options<L extends Readonly<Record<string, { readonly kind: Kind }>>> = {
  readonly [Name in keyof L]: ValueOf<L[Name]['kind']>;
};

/** Shown instead of a secret that is set. */
export const MASK = '***';

/** The environment contains an invalid value. The message is for operators and contains no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** A timer that is set for longer fires at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Reads every option of a list. @throws ConfigError */
export function readOptions<L extends Readonly<Record<string, Option>>>(list: L, environment: Environment): Options<L> {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(list)) {
    const found = option.env.filter((candidate) => (environment[candidate] ?? '') !== '');
    const variable = found[0] ?? option.env[0] ?? name;
    const text = option.kind === 'list' ? found.map((each) => environment[each]).join(',') : environment[variable];
    values[name] = parse(text || option.default, option, variable);
  }
  return values as Options<L>;
}

function parse(text: string, option: Option, variable: string): unknown {
  const { kind } = option;
  if (kind === 'text') return text;
  if (kind === 'path') return parsePath(text, variable);
  if (kind === 'list') return [...new Set(text.split(',').flatMap((item) => item.trim() || []))];
  if (kind === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true';
    throw new ConfigError(`${variable} must be true or false, not "${text}"`);
  }
  if (kind === 'integer') return readInteger(text, option, variable);
  if (kind === 'url') return parseUrl(text, variable);
  if (kind.includes(text)) return text;
  throw new ConfigError(`${variable} must be one of ${kind.join(', ')}, not "${text}"`);
}

/** A whole number within its bounds. @throws ConfigError */
export function readInteger(
  text: string,
  { min = 0, max, env }: Pick<Option, 'min' | 'max' | 'env'>,
  variable: string,
): number {
  const isTime = env.some((name) => name.endsWith('_MS') || name.endsWith('_TIMEOUT'));
  const largest = max ?? (isTime ? TIMER_MAX_MS : Number.MAX_SAFE_INTEGER);
  if (/^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= largest) return Number(text);
  const bounds = [...(min > 0 ? [`at least ${min}`] : []), ...((max ?? isTime) ? [`at most ${largest}`] : [])];
  throw new ConfigError(
    `${variable} must be a whole number${bounds.map((each) => `, ${each}`).join('')}, not "${text}"`,
  );
}

function parseUrl(text: string, variable: string): string {
  const example = 'an address such as https://flags.example.com';
  if (text !== '' && !(/^https?:\/\//i.test(text) && URL.canParse(text))) {
    throw new ConfigError(`${variable} must be ${example}, not "${withoutCredentials(text, MASK)}"`);
  }
  return text;
}

function parsePath(text: string, variable: string): string {
  const path = text.replace(/^\/*/, '/').replace(/\/+$/, '');
  if (/^(\/[A-Za-z0-9._~-]+)*$/.test(path) && !/\/\.{1,2}(\/|$)/.test(path)) return path;
  throw new ConfigError(`${variable} must be a path such as /flags, not "${text}"`);
}
