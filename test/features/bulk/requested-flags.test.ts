import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { byText } from '../../../src/base/lists/sorted.ts';
import { Slicer } from '../../../src/base/yield-control.ts';
import { evaluateBulk } from '../../../src/features/bulk/evaluator.ts';
import type { BulkPool } from '../../../src/features/bulk/pool.ts';
import type { BulkScope, BulkTask } from '../../../src/features/bulk/protocol.ts';
import { findRequestedFlags } from '../../../src/features/bulk/requested-flags.ts';
import type { Feature } from '../../../src/model/feature.ts';
import { Chunk } from '../../../src/views/client/chunk.ts';

/** A flag with the fields that chunks read. */
function flag(name: string, ...parents: string[]): Feature {
  return { name, dependencies: parents.map((feature) => ({ feature })) } as unknown as Feature;
}

function chunksOf(flags: readonly Feature[], size: number): Chunk[] {
  const sorted = [...flags].sort((one, other) => byText(one.name, other.name));
  const chunks: Chunk[] = [];
  for (let at = 0; at < sorted.length; at += size)
    chunks.push(Chunk.of(sorted.slice(at, at + size).map((each) => [each, Buffer.from('{}')])));
  return chunks;
}

const namesIn = (chunks: readonly Chunk[]) => chunks.flatMap(({ features }) => features.map(({ name }) => name));

describe('the chunks of the requested flags', () => {
  it('are those of one flag and of its parent, among many flags', async () => {
    const flags = Array.from({ length: 5_000 }, (_, index) =>
      flag(`${index === 42 ? 'the' : 'some'}-flag-${index}`, ...(index === 42 ? ['a-parent'] : [])),
    );
    const chunks = chunksOf([...flags, flag('a-parent')], 100);
    const asked = await findRequestedFlags(chunks, 'the-', Slicer.of(SERVICE));
    expect(asked.flagCount).toBe(1);
    expect(asked.chunks.length).toBe(2);
    expect(namesIn(asked.chunks)).toEqual(expect.arrayContaining(['the-flag-42', 'a-parent']));
  });

  it('contain all flags that a scan of every flag finds, and their parents', async () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '-'), minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(name, fc.array(name, { maxLength: 1 })), { selector: ([key]) => key, maxLength: 40 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'é', '-'), maxLength: 2 }),
        fc.integer({ min: 1, max: 7 }),
        async (entries, prefix, size) => {
          const flags = entries.map(([key, parents]) => flag(key, ...parents));
          const wanted = flags.filter((each) => each.name.startsWith(prefix));
          const parents = wanted.flatMap(({ dependencies }) => dependencies.map(({ feature }) => feature));
          const asked = await findRequestedFlags(chunksOf(flags, size), prefix, Slicer.of(SERVICE));
          const there = new Set(namesIn(asked.chunks));
          expect(asked.flagCount).toBe(wanted.length);
          for (const each of flags)
            if (wanted.includes(each) || parents.includes(each.name)) expect(there).toContain(each.name);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('the tasks of a request', () => {
  /** The number of tasks for a thousand lines. */
  async function tasksOf(flagCount: number): Promise<number> {
    const scope: BulkScope = { key: '', environment: 'development', revision: 1, chunks: [], segments: [] };
    let tasks = 0;
    const run = async (_task: BulkTask) => {
      tasks++;
      return { answer: Buffer.from('x'), rest: null };
    };
    const pool = { tasksPerRequest: 4, run } as unknown as BulkPool;
    const body = (async function* () {
      yield Buffer.from('{}\n'.repeat(1_000));
    })();
    const request = {
      holder: 'token',
      body,
      scope,
      selection: null,
      flagCount,
      features: null,
      namePrefix: null,
      nowMs: 0,
    };
    const { signal } = new AbortController();
    for await (const _ of evaluateBulk({ ...request, random: () => 0.5, signal }, pool));
    return tasks;
  }

  it('grow in number with the number of requested flags', async () => {
    expect(await tasksOf(1)).toBe(1);
    expect(await tasksOf(500)).toBe(10);
    expect(await tasksOf(100_000)).toBe(125);
  });
});
