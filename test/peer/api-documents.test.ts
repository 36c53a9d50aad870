import { expect, it } from 'vitest';
import { type ApiDocument, missingOperations, requestDifferences, statusDifferences } from './api-documents.ts';

type Body = Readonly<Record<string, object>>;

/** A document with one operation whose body has these fields. */
function documentOf(properties: Body, required: readonly string[] = [], status = '200', query: readonly object[] = []) {
  const schema = { type: 'object', properties, required };
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/body' } } };
  const operation = { parameters: query, requestBody: { required: true, content }, responses: { [status]: {} } };
  return { paths: { '/x/{id}': { post: operation } }, components: { schemas: { body: schema } } } as ApiDocument;
}

const differences = (theirs: Body, ours: Body) => requestDifferences(documentOf(theirs), documentOf(ours));
const text = { type: 'string' };

it.each<[string, object, object, string[]]>([
  [
    'a text that must be digits',
    text,
    { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^\\d+$' }] },
    ['any text there, only ^\\d+$ here'],
  ],
  ['a number for a text', text, { type: 'integer' }, ['string there, integer here']],
  ['null', { type: 'string', nullable: true }, text, ['null there, string here']],
  ['null, in the newer form', { type: ['string', 'null'] }, text, ['null there, string here']],
  ['one of fewer values', { type: 'string', enum: ['a', 'b'] }, { type: 'string', enum: ['a'] }, ['b there only']],
  ['one of two types', { oneOf: [text, { type: 'boolean' }] }, text, ['boolean there, string here']],
  ['an integer for a number', { type: 'number' }, { type: 'integer' }, ['number there, integer here']],
  ['a number for an integer: none', { type: 'integer' }, { type: 'number' }, []],
  ['more types: none', text, { anyOf: [text, { type: 'null' }] }, []],
  ['any value: none', text, {}, []],
])('finds %s', (_what, theirs, ours, expected) => {
  expect(differences({ field: theirs }, { field: ours })).toEqual(
    expected.map((difference) => `POST /x/{} body.field: ${difference}`),
  );
});

it('finds differences within lists and objects, and fields that only one side has', () => {
  const item = (fields: Body) => ({ list: { type: 'array', items: { type: 'object', properties: fields } } });
  expect(differences(item({ id: text }), item({ id: { type: 'integer' } }))).toEqual([
    'POST /x/{} body.list[].id: string there, integer here',
  ]);
  expect(differences({ gone: text }, {})).toEqual(['POST /x/{} body.gone: unknown here']);
  expect(requestDifferences(documentOf({ a: text }), documentOf({ a: text }, ['a']))).toEqual([
    'POST /x/{} body.a: required only here',
  ]);
});

it('finds parameters of queries, whatever form their names have', () => {
  const q = (name: string, required = false) => ({ name, in: 'query', required, schema: text });
  const compare = (theirs: readonly object[], ours: readonly object[]) =>
    requestDifferences(documentOf({}, [], '200', theirs), documentOf({}, [], '200', ours));
  expect(compare([q('status[]')], [q('status')])).toEqual([]);
  expect(compare([q('old')], [])).toEqual(['POST /x/{} query old: unknown here']);
  expect(compare([q('q')], [q('q', true)])).toEqual(['POST /x/{} query q: required only here']);
});

it('finds statuses of success in both directions, and operations that are missing', () => {
  const [made, ok] = [documentOf({}, [], '201'), documentOf({}, [], '200')];
  expect(statusDifferences(made, ok)).toEqual(['POST /x/{}: 201 there, 200 here']);
  expect(statusDifferences(ok, made)).toEqual(['POST /x/{}: 200 there, 201 here']);
  expect(statusDifferences(ok, ok)).toEqual([]);
  expect(missingOperations(ok, { paths: {} })).toEqual(['POST /x/{}']);
});
