import { withoutCredentials } from './without-credentials.ts';

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * How the text of an option is parsed. `list` is comma-separated. `path` is normalised to "" or "/something". `url` is "" or an address with its
 * scheme; messages show it without its user name and password.
 */
type Kind = 'text' | 'path' | 'url' | 'integer' | 'boolean' | 'list' | readonly string[];

/** One setting that can be changed from outside: one entry of a list of options. */
export interface Option {
  /** Environment variables that set the option. The first variable that is set is used. For a list, the values of all these variables are joined. */
  readonly env: readonly string[];
  readonly kind: Kind;
  readonly default: string;
  readonly description: string;
  /** Minimum value of an integer; 0 if missing. */
  readonly min?: number;
  /** Maximum value of an integer. If missing: for milliseconds the maximum of a timer, otherwise the maximum safe integer. */
  readonly max?: number;
  /** The value is never shown, not even in error messages. */
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

/** The parsed values of a list of options, by name. */
export type Options<L extends Readonly<Record<string, { readonly kind: Kind }>>> = {
  readonly [Name in keyof L]: ValueOf<L[Name]['kind']>;
};

/** Shown instead of a secret that is set. */
export const MASK = '***';

/** The environment contains an invalid value. The message is for operators and contains no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Maximum delay of a timer. A timer with a longer delay would fire immediately. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Reads every option of a list. @throws ConfigError */
export function readOptions<L extends Readonly<Record<string, Option>>>(list: L, environment: Environment): Options<L> {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(list)) {
    const setVariables = option.env.filter((candidate) => (environment[candidate] ?? '') !== '');
    const variable = setVariables[0] ?? option.env[0] ?? name;
    const text =
      option.kind === 'list' ? setVariables.map((each) => environment[each]).join(',') : environment[variable];
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

/** Returns a whole number within its bounds. @throws ConfigError */
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
  const expected = 'an address such as https://flags.example.com';
  if (text !== '' && !(/^https?:\/\//i.test(text) && URL.canParse(text))) {
    throw new ConfigError(`${variable} must be ${expected}, not "${withoutCredentials(text, MASK)}"`);
  }
  return text;
}

function parsePath(text: string, variable: string): string {
  const path = text.replace(/^\/*/, '/').replace(/\/+$/, '');
  if (/^(\/[A-Za-z0-9._~-]+)*$/.test(path) && !/\/\.{1,2}(\/|$)/.test(path)) return path;
  throw new ConfigError(`${variable} must be a path such as /flags, not "${text}"`);
}
