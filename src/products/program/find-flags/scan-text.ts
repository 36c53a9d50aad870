import type { Language } from './languages.ts';

/** A use of a name: in a call of an SDK, or as a text that is the name of a flag. */
export interface FoundName {
  readonly name: string;
  readonly line: number;
  readonly isCall: boolean;
}

/** What a scan looks for. */
export interface Wanted {
  /** More patterns of calls. */
  readonly calls: readonly RegExp[];
  /** Whether a flag has the name; then each text in quotes that is the name counts. */
  isFlag(name: string): boolean;
}

/** The uses of names in a text. A name counts once in a line. */
export function* scanText(text: string, { calls, texts }: Language, wanted: Wanted): Generator<FoundName> {
  const lineAt = lineNumbers(text);
  const seen = new Set<string>();
  for (const [patterns, isCall] of [
    [[...calls, ...wanted.calls], true],
    [texts, false],
  ] as const) {
    for (const pattern of patterns) {
      for (const match of text.matchAll(pattern)) {
        const name = match.groups?.name as string;
        if (!isCall && !wanted.isFlag(name)) continue;
        if (name === '.' || name === '..') continue;
        const line = lineAt(match.index + match[0].lastIndexOf(name));
        const key = `${line}:${name}`;
        if (seen.has(key)) continue;
        seen.add(key);
        yield { name, line, isCall };
      }
    }
  }
}

/** Returns a function that returns the line number of a position. The line breaks are searched when it is called first. */
function lineNumbers(text: string): (position: number) => number {
  let breaks: number[] | undefined;
  return (position) => {
    breaks ??= lineBreaks(text);
    let low = 0;
    let high = breaks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((breaks[middle] as number) < position) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

function lineBreaks(text: string): number[] {
  const breaks: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks.push(at);
  return breaks;
}
