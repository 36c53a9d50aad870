import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonProblem } from '../../../console/src/domain/json-problem.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const PIECES = ['{', '}', '[', ']', ',', ':', '"a"', '"\\u00e9"', '1', '-0.5e3', '01', '-', 'true', 'nul', ' ', '\n'];

describe('the problem of a JSON text', () => {
  it('is there exactly if JSON.parse refuses the text', () => {
    const same = (text: string) => {
      expect(jsonProblem(text) === null, text).toBe(isJson(text));
    };
    const any = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(fc.property(any, same));
    fc.assert(fc.property(fc.json(), same));
    const cut = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, other]) => {
      const index = at % (text.length + 1);
      return text.slice(0, index) + other + text.slice(index + 1);
    });
    fc.assert(fc.property(cut, same));
  });

  it('names the line with the first token that does not fit', () => {
    for (const [text, line, expected, found] of [
      ['{\n  "a": 1,\n  "b": },\n  "c": 2\n}', 3, 'value', '}'],
      ['{\n  "a": 1\n  "b": 2\n}', 3, 'separator', '"b"'],
      ['{\n  "a": 1,\n}', 3, 'key', '}'],
      ["{\n  'a': 1\n}", 2, 'keyOrEnd', "'a'"],
      ['[\n1,\n2', 3, 'separator', ''],
      ['', 1, 'value', ''],
      ['1\n\n2', 3, 'end', '2'],
      ['{"a"\n1}', 2, 'colon', '1'],
    ] as const)
      expect(jsonProblem(text), text).toEqual({ line, expected, found });
  });

  it('is found in a text of a megabyte', () => {
    const long = `[${'"x",'.repeat(250_000)}"y"`;
    expect(jsonProblem(`${long}]`)).toBeNull();
    expect(jsonProblem(long)).toEqual({ line: 1, expected: 'separator', found: '' });
    expect(jsonProblem(`"${'x'.repeat(1_000_000)}"`)).toBeNull();
  });
});
