/** What JSON may go on with. */
export type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'separator' | 'end';

export interface JsonProblem {
  /** The line with the first token that does not fit, from 1. */
  readonly line: number;
  readonly expected: Expected;
  /** The text that does not fit; empty at the end. */
  readonly found: string;
}

/** A mark, a text, a number or a word, behind white space. Lengths are not limited: the expression has no nested repetition. */
const TOKEN =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[ !#-[\]-\uffff]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

const FOUND_MAX = 20;

/** What may follow a value that is complete. */
const after = (open: readonly string[]): Expected => (open.length === 0 ? 'end' : 'separator');

/** What may follow the token, or undefined if the token does not fit. Changes the list of what is open. */
function next(expected: Expected, mark: string | undefined, isText: boolean, open: string[]): Expected | undefined {
  const closes = mark === '}' || mark === ']';
  if (closes) {
    const isOpen = open.at(-1) === (mark === '}' ? '{' : '[');
    const isAllowed = expected === 'separator' || expected === (mark === '}' ? 'keyOrEnd' : 'valueOrEnd');
    if (!isOpen || !isAllowed) return undefined;
    open.pop();
    return after(open);
  }
  if (expected === 'colon') return mark === ':' ? 'value' : undefined;
  if (expected === 'separator') return mark === ',' ? (open.at(-1) === '{' ? 'key' : 'value') : undefined;
  if (expected === 'key' || expected === 'keyOrEnd') return isText ? 'colon' : undefined;
  if (expected === 'end' || mark === ',' || mark === ':') return undefined;
  if (mark === undefined) return after(open);
  open.push(mark);
  return mark === '{' ? 'keyOrEnd' : 'valueOrEnd';
}

/**
 * The first problem of a text that is not JSON, or null. The messages of browsers differ, and some have no line, so the text is read here.
 */
export function jsonProblem(text: string): JsonProblem | null {
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const match: RegExpExecArray | null = TOKEN.exec(text);
    const step: Expected | undefined = match ? next(expected, match[1], match[2] !== undefined, open) : undefined;
    if (step === undefined) break;
    expected = step;
    at += match?.[0].length ?? 0;
  }
  const rest = text.slice(at).trimStart();
  if (rest === '' && expected === 'end') return null;
  const line = text.slice(0, text.length - rest.length).split('\n').length;
  const found = /^(?:[{}[\],:]|[^\s{}[\],:]+)/.exec(rest)?.[0].slice(0, FOUND_MAX) ?? '';
  return { line, expected, found };
}
