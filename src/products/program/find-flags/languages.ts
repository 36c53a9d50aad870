import { URL_SAFE_CHARACTERS } from '../../../model/primitives.ts';

/** A language, and the calls of its SDKs that name a flag. Each pattern has the group `name`. */
export interface Language {
  readonly extensions: readonly string[];
  readonly calls: readonly RegExp[];
  /** Finds texts that may be the name of a flag. */
  readonly texts: readonly RegExp[];
}

/** All quantifiers are bounded, so that no file makes a pattern slow. */
const SPACE = '\\s{0,200}';
/** The longest names of flags. */
const NAME = (quote: string) => `(?<name>(?:(?!${quote})[${URL_SAFE_CHARACTERS}]){1,100})`;
/** Letters before a text, such as r"…" or @"…". A text that continues after its end is only a part of a name. */
const TEXT = `(?:[@a-zA-Z]{0,2})(?<quote>["'\`])${NAME('\\k<quote>')}\\k<quote>(?!${SPACE}[+.%])`;
const SYMBOL = `:(?<name>[A-Za-z_]\\w{0,99})(?![\\w:])`;
/** A named argument: `name: "…"`, `flag_key="…"`. */
const LABEL = `(?:(?:name|key|flag|flagKey|flag_key|feature|featureName|feature_name|toggle|toggleName)${SPACE}[:=]${SPACE})?`;
const TYPE_ARGUMENT = '(?:<[^<>()]{0,100}>)?';

interface CallForm {
  /** What begins the arguments. */
  readonly open?: string;
  /** Arguments before the name. */
  readonly before?: string;
  /** The name as it is written. */
  readonly name?: string;
}

function calls(functions: string, { open = '\\(', before = '', name = TEXT }: CallForm = {}): RegExp {
  const head = `(?<![\\w$])(?:${functions})${TYPE_ARGUMENT}\\s{0,20}${open}`;
  return new RegExp(`${head}${SPACE}${before}${LABEL}${name}`, 'g');
}

/** The function names that people add with `--call`, in any language. */
export function ownCalls(functions: readonly string[]): readonly RegExp[] {
  if (functions.length === 0) return [];
  return [calls(functions.map((one) => one.replace(/[^\w]/g, '\\$&')).join('|'), { open: '(?:\\(|\\s)' })];
}

const QUOTED = new RegExp(`(?<quote>["'\`])${NAME('\\k<quote>')}\\k<quote>`, 'g');

const UNLEASH = 'isEnabled|getVariant|forceGetVariant';
const OPEN_FEATURE = 'get(?:Boolean|String|Number|Integer|Double|Object|Float)(?:Value|Details)';

const JAVASCRIPT: Language = {
  extensions: ['js', 'jsx', 'mjs', 'cjs', 'ts', 'tsx', 'mts', 'cts', 'vue', 'svelte', 'astro', 'html', 'htm'],
  calls: [
    calls(`${UNLEASH}|useFlag|useVariant|${OPEN_FEATURE}`),
    calls('use(?:Suspense)?(?:Boolean|String|Number|Object)Flag(?:Value|Details)'),
  ],
  texts: [QUOTED],
};

const JVM: Language = {
  extensions: ['java', 'kt', 'kts', 'scala', 'groovy'],
  calls: [calls(`${UNLEASH}|${OPEN_FEATURE}|@Toggle`)],
  texts: [QUOTED],
};

const GO: Language = {
  extensions: ['go'],
  calls: [
    calls('IsEnabled|GetVariant'),
    // Other packages have functions with these names: those of OpenFeature have a context before the name.
    calls('(?:Boolean|String|Float|Int|Object)(?:Value)?(?:Details)?', {
      before: `[\\w.]{1,60}(?:\\(\\))?${SPACE},${SPACE}`,
    }),
  ],
  texts: [QUOTED],
};

const PYTHON: Language = {
  extensions: ['py', 'pyi'],
  calls: [
    calls('is_enabled|get_variant'),
    calls('get_(?:boolean|string|integer|float|object)_(?:value|details)(?:_async)?'),
  ],
  texts: [QUOTED],
};

const RUBY_CALLS =
  'is_enabled\\?|enabled\\?|is_disabled\\?|disabled\\?|if_enabled|if_disabled|get_variant|fetch_(?:boolean|string|number|integer|float|object)_(?:value|details)';

const RUBY: Language = {
  extensions: ['rb', 'erb', 'rake', 'slim', 'haml'],
  calls: [calls(RUBY_CALLS, { open: '(?:\\(|\\s)' }), calls(RUBY_CALLS, { open: '(?:\\(|\\s)', name: SYMBOL })],
  texts: [QUOTED, new RegExp(`(?<![\\w:])${SYMBOL}`, 'g')],
};

const PHP: Language = {
  extensions: ['php', 'phtml', 'twig'],
  calls: [calls(`${UNLEASH}|${OPEN_FEATURE}`)],
  texts: [QUOTED],
};

const DOTNET: Language = {
  extensions: ['cs', 'cshtml', 'razor', 'vb', 'fs'],
  calls: [
    calls('IsEnabled(?:Async)?|GetVariant(?:Async)?'),
    calls('Get(?:Boolean|String|Integer|Double|Object)(?:Value|Details)(?:Async)?'),
  ],
  texts: [QUOTED],
};

const RUST_CALLS = 'is_enabled(?:_str)?|get_variant(?:_str)?|get_(?:bool|int|float|string|struct)_(?:value|details)';

const RUST: Language = {
  extensions: ['rs'],
  // The SDK names flags by the members of an enumeration.
  calls: [calls(RUST_CALLS), calls(RUST_CALLS, { name: '(?:\\w{1,100}::){1,5}(?<name>\\w{1,100})(?!\\w|::|\\()' })],
  texts: [QUOTED],
};

const SWIFT: Language = {
  extensions: ['swift', 'm', 'mm'],
  calls: [calls(`${UNLEASH}|${OPEN_FEATURE}`)],
  texts: [QUOTED],
};

const DART: Language = {
  extensions: ['dart'],
  calls: [calls(`${UNLEASH}|${OPEN_FEATURE}`), calls('get(?:Boolean|String|Integer|Double|Object)Flag')],
  texts: [QUOTED],
};

const BY_EXTENSION: ReadonlyMap<string, Language> = new Map(
  [JAVASCRIPT, JVM, GO, PYTHON, RUBY, PHP, DOTNET, RUST, SWIFT, DART].flatMap((language) =>
    language.extensions.map((extension) => [extension, language] as const),
  ),
);

/** The language of a file; undefined if it is not code of a known language. */
export function languageOf(path: string): Language | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? undefined : BY_EXTENSION.get(name.slice(dot + 1).toLowerCase());
}
