import { describe, expect, it } from 'vitest';
import { addExamples } from '../../src/http/examples.ts';

/** The example of a JSON body with this schema. */
function exampleOf(schema: object, examples: Record<string, unknown> = {}, schemas: Record<string, unknown> = {}) {
  const media: Record<string, unknown> = { schema };
  const requestBody = { content: { 'application/json': media } };
  addExamples({ operationId: 'change', requestBody }, examples, schemas);
  return media.example;
}

const object = (properties: object, required = Object.keys(properties)) => ({ type: 'object', properties, required });

describe('the example of a body without stated examples', () => {
  it.each([
    ['a constant', { const: 7 }, 7],
    ['a constant that is null', { const: null }, null],
    ['one of several values', { enum: ['first', 'second'] }, 'first'],
    ['a number with a minimum', { type: 'number', minimum: 3 }, 3],
    ['a number', { type: 'integer' }, 1],
    ['a boolean', { type: 'boolean' }, true],
    ['null', { type: 'null' }, null],
    ['a short text', { type: 'string' }, 'text'],
    ['a text with a minimum', { type: 'string', minLength: 6 }, 'text..'],
    ['the alternative that is not null', { anyOf: [{ type: 'null' }, { type: 'boolean' }] }, true],
    ['alternatives that are all null', { anyOf: [{ type: 'null' }] }, null],
    ['a list of anything', { type: 'array' }, []],
    ['a list with a minimum', { type: 'array', items: { type: 'boolean' }, minItems: 2 }, [true, true]],
    ['a schema that does not exist', { $ref: '#/components/schemas/missing' }, 'text'],
  ])('is valid for %s', (_name, schema, expected) => {
    expect(exampleOf(schema)).toEqual(expected);
  });

  it('ends where a schema contains itself', () => {
    const node = object({
      below: { anyOf: [{ $ref: '#/components/schemas/node' }] },
      list: { type: 'array', items: {} },
    });
    let depth = 0;
    let at = exampleOf({ $ref: '#/components/schemas/node' }, {}, { node }) as { below: typeof at } | null | undefined;
    for (; at; at = at.below) depth++;
    expect(depth).toBeGreaterThan(2);
    expect(depth).toBeLessThan(9);
  });
});

describe('a stated example', () => {
  it.each([
    ['a value that is allowed', { enum: ['on', 'off'] }, 'off', 'off'],
    ['another value than those that are allowed', { enum: ['on', 'off'] }, 'none', 'on'],
    ['a whole number for any number', { type: 'number' }, 5, 5],
    ['a fraction for any number', { type: 'number' }, 0.5, 0.5],
    ['a fraction for a whole number', { type: 'integer' }, 0.5, 1],
    ['a text for a number', { type: 'integer' }, 'five', 1],
    ['a list of texts', { type: 'array', items: { type: 'string' } }, ['a', 'b'], ['a', 'b']],
    ['a list with an item of another type', { type: 'array', items: { type: 'string' } }, ['a', 1], ['text']],
    ['an empty list of anything', { type: 'array' }, [], []],
    ['a list for a text', { type: 'string' }, ['a'], 'text'],
    ['an object', { type: 'object' }, { a: 1 }, { a: 1 }],
    ['an object for a text', { type: 'string' }, { a: 1 }, 'text'],
    ['one of the alternatives', { anyOf: [{ type: 'null' }, { type: 'integer' }] }, 5, 5],
  ])('is used only if it is valid: %s', (_name, schema, stated, expected) => {
    expect(exampleOf(object({ value: schema }), { value: stated })).toEqual({ value: expected });
  });

  it('is the one with the longest key, and adds a property that is not required', () => {
    const schema = object({ inner: object({ value: { type: 'string' } }), other: { type: 'string' } }, ['inner']);
    const examples = { value: 'by its name', 'change.value': 'of the operation', 'change.inner.value': 'by its path' };
    const pick = (...keys: (keyof typeof examples)[]) => Object.fromEntries(keys.map((key) => [key, examples[key]]));
    expect(exampleOf(schema, pick('value'))).toEqual({ inner: { value: 'by its name' } });
    expect(exampleOf(schema, pick('value', 'change.value'))).toEqual({ inner: { value: 'of the operation' } });
    expect(exampleOf(schema, examples)).toEqual({ inner: { value: 'by its path' } });
    expect(exampleOf(schema, { other: 'stated' })).toEqual({ inner: { value: 'text' }, other: 'stated' });
  });

  it('is used for a parameter that is not required only if it is of the operation', () => {
    const parameters: Record<string, unknown>[] = [
      { name: 'id', required: true, schema: { type: 'integer' } },
      { name: 'limit', schema: { type: 'integer' } },
      { name: 'offset', schema: { type: 'integer' } },
    ];
    addExamples({ operationId: 'list', parameters }, { 'list.limit': 10, offset: 5 }, {});
    expect(parameters.map(({ example }) => example)).toEqual([1, 10, undefined]);
  });
});
