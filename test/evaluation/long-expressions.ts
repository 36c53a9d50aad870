/** Length of the longest value of a context. */
export const TEXT_LENGTH = 4096;

/** Texts on which searches take long: no match before the end, or many open partial matches. */
export const LONG_TEXTS = [
  'a'.repeat(TEXT_LENGTH),
  'ab'.repeat(TEXT_LENGTH / 2),
  Array.from({ length: TEXT_LENGTH }, (_, index) => 'ab1.'[(index * 2_654_435_761) >>> 30]).join(''),
  'Жé'.repeat(TEXT_LENGTH / 2),
];

/** Expressions as people write them. */
export const COMMON_EXPRESSIONS: readonly string[] = [
  '^.*@example\\.(com|org)$',
  '^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$',
  '^\\d{1,3}(\\.\\d{1,3}){3}$',
  '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  '(android|iphone|ipad|windows phone|blackberry)',
  'v?\\d+\\.\\d+\\.\\d+(-[a-z0-9.]+)?',
  '^(a|b|c|d|e|f|g)+$',
  '^\\pL{1,50}$',
  '\\bbeta\\b',
  'a.{4}$',
];

/** Expressions that would take long, or much memory, to compile or to search with. */
export const TOO_LARGE_EXPRESSIONS: readonly (readonly [what: string, pattern: string])[] = [
  ['many open partial matches', 'a.{900}$'],
  ['too many states', 'a.{20}$'],
  ['nested repetitions', '((a{1,10}){1,10}){1,10}x'],
  ['very many named classes', `[${'\\pL'.repeat(300)}]`],
  ['the largest class, folded', `(?i)${'[B-\\x{1E942}]'.repeat(50)}`],
  ['a class beside a class, folded', `(?i)[${'B-\\x{1E942}'.repeat(50)}]`],
  ['very many optional parts', `(${'a?'.repeat(500)}){10}`],
  ['deeply nested groups', `${'('.repeat(60)}a${')'.repeat(60)}`],
  ['a look-behind', '(?<=a{1,100})b'],
];
