import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadLocalCopy, localCopyPath } from '../../src/actors/local-copy.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { encodeSnapshot } from '../../src/state/snapshot.ts';
import { State } from '../../src/state/state.ts';
import { type Branch, ROOT } from '../../src/stores/lineage.ts';
import { type Frame, KIND, writeFramedFile } from '../../src/stores/local/framed-file.ts';

describe('a local copy from before there were lines', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'burgee-copy-'));
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  const save = async (position: Branch) => {
    const state = new State();
    state.seq = position.seq;
    const frames = async function* (): AsyncGenerator<Frame, void, void> {
      for await (const bytes of encodeSnapshot(state)) yield { kind: KIND.piece, bytes };
      const end = { position, savedAt: '2026-01-01T00:00:00.000Z' };
      yield { kind: KIND.end, bytes: Buffer.from(JSON.stringify(end)) };
    };
    await writeFramedFile(localCopyPath(directory), frames());
    return loadLocalCopy(directory, silentLogger);
  };

  it('is not used when it does not tell which write it ends with: nothing shows whether it is a fork (D4)', async () => {
    expect(await save({ epoch: 'old', seq: 7, writeId: '' })).toBeNull();
  });

  it('is a place without ancestors when it does', async () => {
    const copy = await save({ epoch: 'old', seq: 7, writeId: 'w' });
    expect(copy?.position).toEqual({ epoch: 'old', seq: 7, writeId: 'w', ancestors: [] });
  });

  it('is the root of every history at revision 0, whatever its epoch was (D6)', async () => {
    expect((await save({ epoch: 'old', seq: 0, writeId: '' }))?.position).toEqual(ROOT);
  });
});
