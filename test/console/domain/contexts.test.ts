import { describe, expect, it } from 'vitest';
import { pastedContexts, playgroundContexts } from '../../../console/src/domain/contexts.ts';
import { triedText } from '../../../console/src/domain/tried-text.ts';
import { problemOfContexts } from '../../../console/src/words/en/contexts.ts';

function problem(text: string, most = 10): string | undefined {
  const read = pastedContexts(text, most);
  return 'problem' in read ? problemOfContexts(read.problem) : undefined;
}

describe('pasted contexts', () => {
  it('are an object on each line, a list, or one object, with values as texts', () => {
    const contexts = [
      { userId: '7', properties: { country: 'NO', paid: 'true' } },
      { userId: '8', plan: '3' },
    ];
    const lines = '{"userId":7,"properties":{"country":"NO","paid":true,"age":null}}\n\n {"userId":"8","plan":3}\r\n';
    const list = '[{"userId":7,"properties":{"country":"NO","paid":true}},\n{"userId":"8","plan":3}]';
    expect(pastedContexts(lines, 2)).toEqual({
      contexts,
      places: [
        { isList: false, at: 1 },
        { isList: false, at: 3 },
      ],
    });
    expect(pastedContexts(list, 2)).toMatchObject({
      contexts,
      places: [
        { isList: true, at: 1 },
        { isList: true, at: 2 },
      ],
    });
    expect(pastedContexts('{\n"userId": "7"\n}', 1)).toMatchObject({ contexts: [{ userId: '7' }] });
  });

  it('are refused with the line, or with the position in a list', () => {
    expect(problem('{"userId":"1"}\n\n{"userId": }')).toBe('Line 3 is not JSON: there is } where a value must be.');
    expect(problem('userId=7')).toBe('Line 1 is not JSON: there is userId=7 where a value must be.');
    expect(problem('{"userId":"1"}\n"2"')).toBe('Line 2 is not a JSON object');
    expect(problem('{"userId":["1"]}')).toBe('Line 1: userId is neither a text nor a number');
    expect(problem('{"properties":{"plan":{}}}')).toBe('Line 1: plan is neither a text nor a number');
    expect(problem('{"properties":"plan"}')).toBe('Line 1: properties is neither a text nor a number');
    expect(problem('[\n{"userId":"1"},\n{"userId" "2"}]')).toBe(
      'Line 3 is not JSON: there is "2" where a colon must be.',
    );
    expect(problem('[{"userId":"1"}, 2]')).toBe('Context 2 is not a JSON object');
    expect(problem('[{},{},{}]', 2)).toBe('These are more than 2 contexts');
    for (const nothing of ['', ' \n', '[]']) expect(problem(nothing)).toBe('Paste at least one context');
  });

  it('are fields and properties of a context of the playground', () => {
    expect(playgroundContexts('{"userId":7,"plan":"pro","properties":{"country":"NO"}}')).toEqual({
      contexts: [{ appName: 'playground', userId: '7', properties: { plan: 'pro', country: 'NO' } }],
    });
  });
});

describe('pasted contexts of a preview', () => {
  const tried = (contexts: readonly object[]) => {
    const read = triedText(contexts.map((one) => JSON.stringify(one)).join('\n'));
    return 'chosen' in read ? read.chosen.sent : problemOfContexts(read.problem);
  };

  it('have their properties beside the other fields, except where that would mean something else', () => {
    const kept = [
      { userId: '1', properties: { userId: '2' } },
      { plan: 'a', properties: { plan: 'b' } },
      { properties: { environment: 'e' } },
    ];
    expect(tried([{ userId: '1', properties: { plan: 'pro' } }, ...kept])).toEqual({
      given: [{ userId: '1', plan: 'pro' }, ...kept],
    });
  });

  it('are refused with the number of those that fit into a request', () => {
    const many = (count: number, context: object) => Array.from({ length: count }, () => context);
    const two = { userId: '7', properties: { country: 'NO' } };
    expect(tried(many(5_444, two))).toHaveProperty('given.length', 5_444);
    expect(tried(many(5_445, two))).toBe(
      'These contexts are too large for one request: there is space for the first 5,444',
    );
    expect(tried(many(100, { userId: 'é'.repeat(5_000) }))).toBe(
      'These contexts are too large for one request: there is space for the first 89',
    );
    expect(tried(many(10_001, {}))).toBe('These are more than 10,000 contexts');
  });
});
