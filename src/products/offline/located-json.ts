import { BootstrapError } from './bootstrap-shape.ts';

/** Number of characters that a message shows from the place of the problem. */
const SHOWN_CHARACTERS = 20;

/** Parses a JSON text. @throws BootstrapError with the problem, its line and its column */
export function parseJson(text: string): unknown {
  if (text.trim() === '') throw new BootstrapError('it is empty');
  try {
    return JSON.parse(text);
  } catch {
    // The message of the runtime is not used: its wording depends on the runtime, and it does not always contain the position.
    throw new BootstrapError(`it is not JSON: ${problemOf(text)}`);
  }
}

function problemOf(text: string): string {
  const index = placeOfProblem(text);
  if (text.slice(index).trim() === '') return 'its end is missing';
  const before = text.slice(0, index);
  const line = before.split('\n').length;
  const column = index - before.lastIndexOf('\n');
  return `line ${line}, column ${column} is not understood: ${JSON.stringify(text.slice(index, index + SHOWN_CHARACTERS))}`;
}

const SPACE = /[ \t\r\n]*/y;
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: strings of JSON must not contain control characters
  /([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;

type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or end' | 'nothing';

/** The index at which the text stops being valid JSON. */
function placeOfProblem(text: string): number {
  const open: string[] = [];
  let expected: Expected = 'value';
  let index = 0;
  for (;;) {
    SPACE.lastIndex = index;
    SPACE.exec(text);
    TOKEN.lastIndex = SPACE.lastIndex;
    const start = SPACE.lastIndex;
    const token = TOKEN.exec(text);
    const next: Expected | undefined = token ? expectedAfter(expected, token, open) : undefined;
    if (!next) return start;
    expected = next;
    index = TOKEN.lastIndex;
  }
}

/** What must come after this token; undefined when the token is not allowed at its place. */
function expectedAfter(expected: Expected, token: RegExpExecArray, open: string[]): Expected | undefined {
  const [, mark = '', string = ''] = token;
  const after: Expected = open.length > 0 ? ', or end' : 'nothing';
  if (expected === ':') return mark === ':' ? 'value' : undefined;
  if (expected === 'name or }' && mark === '}') return afterClosing(open);
  if (expected === 'value or ]' && mark === ']') return afterClosing(open);
  if (expected.startsWith('name')) return string === '' ? undefined : ':';
  if (expected.startsWith('value')) {
    if (mark === '') return after;
    if (mark !== '{' && mark !== '[') return undefined;
    open.push(mark);
    return mark === '{' ? 'name or }' : 'value or ]';
  }
  if (expected === 'nothing') return undefined;
  const inObject = open.at(-1) === '{';
  if (mark === ',') return inObject ? 'name' : 'value';
  return mark === (inObject ? '}' : ']') ? afterClosing(open) : undefined;
}

function afterClosing(open: string[]): Expected {
  open.pop();
  return open.length > 0 ? ', or end' : 'nothing';
}
