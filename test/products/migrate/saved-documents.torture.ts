import { afterAll, beforeAll, expect, it } from 'vitest';
import { documentsOf } from '../../../src/products/migrate/saved-documents.ts';
import { WorkCounter } from '../../support/work-counter.ts';

const counter = new WorkCounter(/^file:.*(\/src\/|\/node_modules\/yaml\/)/);
beforeAll(() => counter.start());
afterAll(() => counter.stop());

const workOf = (count: number) => {
  const text = Array.from({ length: count }, (_, index) => `flag-${index}: on`).join('\n');
  return counter.of(() => documentsOf({ name: 'flags.yaml', text }));
};

it('reads YAML of many keys with work that is linear in their number', async () => {
  await workOf(1);
  const few = await workOf(1_000);
  expect(few).toBeGreaterThan(1_000);
  // Twelve times as many keys. A comparison of all pairs would take about a hundred times as much.
  expect(await workOf(12_000)).toBeLessThan(13 * few);
});
