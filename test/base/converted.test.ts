import Type, { type TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';
import { converted } from '../../src/base/converted.ts';

const Fields = Type.Object({
  text: Type.Optional(Type.String()),
  count: Type.Optional(Type.Number()),
  isOn: Type.Optional(Type.Boolean()),
  maybe: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  items: Type.Optional(Type.Array(Type.String())),
  required: Type.String(),
  map: Type.Optional(Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: Type.String() })),
});

describe('a value is converted to the types of its schema', () => {
  it.each<[string, TSchema, unknown, unknown]>([
    ['a number to text', Type.String(), 5, '5'],
    ['a boolean to text', Type.String(), true, 'true'],
    ['text to a number', Type.Number(), ' 1.5 ', 1.5],
    ['text to an integer', Type.Integer(), '1000', 1000],
    ['text to a boolean', Type.Boolean(), 'false', false],
    ['1 to a boolean', Type.Boolean(), 1, true],
    ['each item of a list', Type.Array(Type.String()), ['a', 1, false], ['a', '1', 'false']],
    ['to the first schema of a union that fits', Type.Union([Type.Number(), Type.Null()]), '7', 7],
    ['the members of an object', Fields, { required: 1, isOn: 'true' }, { required: '1', isOn: true }],
    ['null to a missing member', Fields, { required: 'r', isOn: null, maybe: null }, { required: 'r', maybe: null }],
    [
      'the members of a map',
      Fields,
      { required: 'r', map: { a: 1, b: null } },
      { required: 'r', map: { a: '1', b: '' } },
    ],
  ])('%s', (_, schema, sent, expected) => {
    expect(converted(schema, sent)).toEqual(expected);
  });

  it.each<[string, TSchema, unknown]>([
    ['a word where a number is needed', Type.Number(), 'many'],
    ['an empty text where a number is needed', Type.Number(), ''],
    ['infinity', Type.Number(), 'Infinity'],
    ['a word where a boolean is needed', Type.Boolean(), 'yes'],
    ['2 where a boolean is needed', Type.Boolean(), 2],
    ['null where a member is required', Fields, { required: null }],
    ['an object where text is needed', Type.String(), { a: 1 }],
    ['a text where a list is needed', Type.Array(Type.String()), 'a'],
    ['a list where an object is needed', Fields, ['a']],
    ['a number where a name is needed', Type.String({ pattern: '^.+$' }), 7],
    ['unknown members', Fields, { required: 'r', unknown: null }],
  ])('but not %s', (_, schema, sent) => {
    expect(converted(schema, sent)).toEqual(sent);
  });

  it('and the sent value does not change', () => {
    const sent = { required: 5, items: [1, 'a'], map: { a: 1 } };
    const before = structuredClone(sent);
    const same = { required: 'r', items: ['a'] };
    expect(converted(Fields, sent)).toEqual({ required: '5', items: ['1', 'a'], map: { a: '1' } });
    expect(sent).toEqual(before);
    expect(converted(Fields, same)).toBe(same);
  });

  it('and names that are special in JavaScript stay members', () => {
    const sent = JSON.parse('{"required": "r", "map": {"__proto__": 1, "constructor": 2}}');
    const { map } = converted(Fields, sent) as { map: object };
    expect(Object.entries(map)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
    expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
  });
});
