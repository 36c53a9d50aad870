import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LINE_LENGTH_MAX_BYTES, lineBatches } from '../../../src/features/bulk/line-batches.ts';

/** The text, cut at the specified positions, as it may arrive from a socket. */
async function* arriving(text: string, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  const positions = [
    0,
    ...cuts.map((cut) => cut % (bytes.length + 1)).sort((left, right) => left - right),
    bytes.length,
  ];
  for (let index = 1; index < positions.length; index++) yield bytes.subarray(positions[index - 1], positions[index]);
}

describe('line batches', () => {
  it('contain every line once, in order and numbered, for any cuts of the body and any size of a batch', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('{}', '', '{"a":"é"}', 'x'.repeat(300), '[1,2]'), { maxLength: 40 }),
        fc.boolean(),
        fc.array(fc.nat(3000), { maxLength: 12 }),
        fc.integer({ min: 1, max: 9 }),
        async (lines, endsWithNewline, cuts, linesPerBatch) => {
          const text = lines.join('\n') + (endsWithNewline && lines.length > 0 ? '\n' : '');
          const expected = text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
          const got: string[] = [];
          let lastSeen = false;
          for await (const batch of lineBatches(arriving(text, cuts), linesPerBatch)) {
            if ('longLine' in batch) throw new Error(`line ${batch.longLine} is not long`);
            expect(lastSeen).toBe(false);
            lastSeen = batch.isLast;
            expect(batch.lineCount).toBeLessThanOrEqual(linesPerBatch);
            if (batch.lineCount > 0) expect(batch.firstLine).toBe(got.length + 1);
            const batchText = Buffer.from(batch.bytes).toString();
            const batchLines =
              batchText === '' ? [] : (batchText.endsWith('\n') ? batchText.slice(0, -1) : batchText).split('\n');
            expect(batchLines.length).toBe(batch.lineCount);
            got.push(...batchLines);
          }
          expect(lastSeen).toBe(true);
          expect(got).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('contain the number of a too long line instead of the line, and continue after it', async () => {
    const long = 'x'.repeat(2 * LINE_LENGTH_MAX_BYTES);
    for (const [lines, expected] of [
      [
        ['{}', long, '[]', '1'],
        ['1:{}', 'long 2', '3:[]', '4:1'],
      ],
      [
        [long, '{}'],
        ['long 1', '2:{}'],
      ],
      [
        ['{}', long],
        ['1:{}', 'long 2'],
      ],
      [
        [long, long],
        ['long 1', 'long 2'],
      ],
    ] as const) {
      for (const ending of ['', '\n']) {
        const got: string[] = [];
        for await (const batch of lineBatches(arriving(lines.join('\n') + ending, [10_000, 40_000, 90_000]), 100)) {
          if ('longLine' in batch) got.push(`long ${batch.longLine}`);
          else {
            const texts = Buffer.from(batch.bytes).toString().split('\n').slice(0, batch.lineCount);
            got.push(...texts.map((text, index) => `${batch.firstLine + index}:${text}`));
          }
        }
        expect(got).toEqual(expected);
      }
    }
  });
});
