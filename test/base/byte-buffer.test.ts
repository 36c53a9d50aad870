import { expect, it } from 'vitest';
import { ByteBuffer } from '../../src/base/byte-buffer.ts';

it('keeps only some megabytes for the next bytes after many', () => {
  const out = new ByteBuffer();
  for (let round = 0; round < 3; round++) {
    out.addBytes(new Uint8Array(20_000_000));
    const before = process.memoryUsage().arrayBuffers;
    expect(out.take().byteLength).toBe(20_000_000);
    expect(process.memoryUsage().arrayBuffers).toBeLessThan(before + 5_000_000);
  }
});
