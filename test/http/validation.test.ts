import Type from 'typebox';
import { describe, expect, it, vi } from 'vitest';
import { SERVICE } from '../../src/base/asking/asker.ts';
import { validate, validateLarge } from '../../src/base/validation.ts';
import { Slicer } from '../../src/base/yield-control.ts';
import { DateTime, MapOf } from '../../src/model/primitives.ts';

const Item = Type.Object({ name: Type.String(), size: Type.Optional(Type.Integer({ minimum: 1 })) });
const Body = Type.Object({
  title: Type.String({ maxLength: 5 }),
  items: Type.Optional(Type.Array(Item, { maxItems: 2_000 })),
  mixed: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Integer())])),
  map: Type.Optional(MapOf(Type.String())),
  inner: Type.Optional(Type.Object({ list: Type.Array(Type.Array(Type.Integer())) })),
});

const good = (length: number) => Array.from({ length }, (_, index) => ({ name: `item ${index}` }));

const cases: [string, unknown, string[]][] = [
  ['a value of another type', 7, ['']],
  ['null', null, ['']],
  ['a list instead of an object', [], ['']],
  ['a required property missing', {}, ['']],
  ['a text that is too long', { title: 'longer' }, ['/title']],
  ['one wrong item', { title: 'a', items: [...good(500), { name: 1 }] }, ['/items/500/name']],
  ['an item that lacks a property', { title: 'a', items: [{}] }, ['/items/0']],
  [
    'several wrong values',
    { title: 1, items: [{ name: 'a', size: 0 }, null] },
    ['/title', '/items/0/size', '/items/1'],
  ],
  ['a list that is too long', { title: 'a', items: good(2_001) }, ['/items']],
  ['a wrong value in a map', { title: 'a', map: { constructor: 'x', toString: 5 } }, ['/map/toString', '/map']],
  ['a wrong value under a key with a line break', { title: 'a', map: { 'a\nb': 5 } }, ['/map/a\nb', '/map']],
  ['a wrong value deep inside', { title: 'a', inner: { list: [[1], [2, 'x']] } }, ['/inner/list/1/1']],
];

describe('what does not conform', () => {
  it.each(cases)('is reported with its path: %s', async (_name, value, paths) => {
    for (const rejection of [
      validate(Body, value, 'body'),
      await validateLarge(Body, value, 'body', Slicer.of(SERVICE)),
    ]) {
      expect(rejection?.name).toBe('ValidationError');
      expect(rejection?.details.map(({ path }) => path)).toEqual(paths);
      expect(rejection?.message).toMatch(/^Request validation failed: body/);
      for (const { message } of rejection?.details ?? []) expect(message.length).toBeLessThan(300);
    }
  });

  it('is reported in at most 20 details, however many errors there are', async () => {
    const value = {
      title: 'a',
      items: Array(2_000).fill({ name: 1, size: 0 }),
      inner: { list: Array(50_000).fill('x') },
    };
    expect(validate(Body, value, 'body')?.details).toHaveLength(20);
    expect((await validateLarge(Body, value, 'body', Slicer.of(SERVICE)))?.details).toHaveLength(20);
  });

  it('is reported with pauses within a single item, too: each wrong part is checked in its own step', async () => {
    const names = Array.from({ length: 15 }, (_, index) => `part${index}`);
    const Parts = Type.Object(Object.fromEntries(names.map((name) => [name, Type.Integer()])));
    const value = [Object.fromEntries(names.map((name) => [name, 'x']))];
    const slicer = Slicer.of(SERVICE, 0);
    const pause = vi.spyOn(slicer, 'pause');
    expect((await validateLarge(Type.Array(Parts), value, 'body', slicer))?.details).toHaveLength(15);
    expect(pause.mock.calls.length).toBeGreaterThan(15);
  });

  it('is reported in one detail where it is too large for a detailed check', () => {
    const rejection = validate(Body, { title: 'a', mixed: Array(50_000).fill('x') }, 'body');
    expect(rejection?.details).toEqual([{ message: 'body/mixed does not conform to the schema', path: '/mixed' }]);
  });
});

describe('what conforms', () => {
  it('passes, whole or in slices', async () => {
    const value = {
      title: 'a',
      items: good(2_000),
      map: { constructor: 'x', __proto: 'y' },
      inner: { list: [[1], []] },
      more: 1,
    };
    expect(validate(Body, value, 'body')).toBeUndefined();
    expect(await validateLarge(Body, value, 'body', Slicer.of(SERVICE))).toBeUndefined();
  });
});

describe('times', () => {
  it.each(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123Z', '2026-01-01t00:00:00z', '2026-01-01T00:00:00+02:00'])(
    'that can be read are accepted: %s',
    (time) => expect(validate(DateTime, time, 'body')).toBeUndefined(),
  );

  it.each([
    '2026-01-01',
    '2026-02-30T00:00:00Z',
    '2016-12-31T23:59:60Z',
    '2026-01-01T00:00:00Z[Europe/Paris]',
    'now',
    '',
  ])('that cannot be read as a point in time are refused: %s', (time) =>
    expect(validate(DateTime, time, 'body')?.name).toBe('ValidationError'),
  );
});
