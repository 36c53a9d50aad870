import { expect, it } from 'vitest';
import { documentsOf, YAML_LENGTH_MAX } from '../../../src/products/migrate/saved-documents.ts';

const read = (text: string, name = 'flags.yaml') => documentsOf({ name, text });

/** CPU time to read `count` flags, in milliseconds: the minimum of three runs. */
async function cpuOf(count: number): Promise<number> {
  const text = Array.from({ length: count }, (_, index) => `flag-${index}: on`).join('\n');
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    await read(text);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

it('reads YAML of many keys in a time that is linear in their number', async () => {
  const few = await cpuOf(1_000);
  // Twelve times as many keys. A comparison of all pairs would take about a hundred times as long.
  expect(await cpuOf(12_000)).toBeLessThan(40 * few);
});

it('refuses a duplicate key in any map, and YAML that is too long', async () => {
  expect(await read('a: {b: 1, c: 2}\nd: 3\n---\n- a')).toEqual([{ a: { b: 1, c: 2 }, d: 3 }, ['a']]);
  await expect(read('a:\n  b: 1\n  c: 2\n  b: 3')).rejects.toThrow(
    'flags.yaml is neither JSON nor YAML: the key "b" occurs twice',
  );
  await expect(read('a: 1\n---\nb: 1\nb: 2')).rejects.toThrow('the key "b" occurs twice');
  await expect(read(`a: ${'x'.repeat(YAML_LENGTH_MAX)}`)).rejects.toThrow(/^flags\.yaml has more than \d+ characters/);
  expect(await read(JSON.stringify({ a: 'x'.repeat(YAML_LENGTH_MAX) }))).toHaveLength(1);
});
