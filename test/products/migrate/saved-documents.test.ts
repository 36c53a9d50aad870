import { expect, it } from 'vitest';
import { documentsOf, YAML_LENGTH_MAX } from '../../../src/products/migrate/saved-documents.ts';

const read = (text: string, name = 'flags.yaml') => documentsOf({ name, text });

it('refuses a duplicate key in any map, and YAML that is too long', async () => {
  expect(await read('a: {b: 1, c: 2}\nd: 3\n---\n- a')).toEqual([{ a: { b: 1, c: 2 }, d: 3 }, ['a']]);
  await expect(read('a:\n  b: 1\n  c: 2\n  b: 3')).rejects.toThrow(
    'flags.yaml is neither JSON nor YAML: the key "b" occurs twice',
  );
  await expect(read('a: 1\n---\nb: 1\nb: 2')).rejects.toThrow('the key "b" occurs twice');
  await expect(read(`a: ${'x'.repeat(YAML_LENGTH_MAX)}`)).rejects.toThrow(/^flags\.yaml has more than \d+ characters/);
  expect(await read(JSON.stringify({ a: 'x'.repeat(YAML_LENGTH_MAX) }))).toHaveLength(1);
});
