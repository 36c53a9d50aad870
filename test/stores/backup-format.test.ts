import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../../src/stores/lineage.ts';
import { BackupTally, checkBackup } from '../../src/stores/local/backup-format.ts';
import { type Frame, FramedFileError, KIND, MAGIC, writeFramedFile } from '../../src/stores/local/framed-file.ts';

const HISTORY = { seq: 2, lastEventId: 3, ancestor: ROOT };

async function* inTurn(frames: readonly Frame[]): AsyncGenerator<Frame, void, void> {
  yield* frames;
}

describe('a backup', () => {
  let directory: string;
  let path: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'burgee-format-'));
    path = join(directory, 'saved.backup');
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const refusal = async () => {
    const error = await checkBackup(path).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(FramedFileError);
    return (error as Error).message;
  };

  /** The frames of a backup with one frame of each kind. */
  const frames = () => {
    const tally = new BackupTally();
    return [
      tally.pieceFrame(Buffer.from('state')),
      tally.count({ kind: KIND.commit, bytes: Buffer.from('commit') }),
      tally.eventsFrame([{ id: 3, bytes: Buffer.from('event') }]),
      tally.endFrame(HISTORY, 'mark'),
    ];
  };

  it('is read to its end', async () => {
    await writeFramedFile(path, inTurn(frames()));
    expect(await checkBackup(path)).toEqual({ history: HISTORY, mark: 'mark' });
  });

  it.each(['piece', 'commit', 'batch of events'])('is refused without one of its frames: a %s', async (name) => {
    const missing = ['piece', 'commit', 'batch of events'].indexOf(name);
    await writeFramedFile(path, inTurn(frames().filter((_, index) => index !== missing)));
    expect(await refusal()).toBe(`${path} is damaged: some of its parts are missing`);
  });

  it('is refused in another format, which the error names', async () => {
    await writeFramedFile(path, inTurn(frames()));
    const bytes = readFileSync(path);
    bytes.writeUInt32LE(3, MAGIC.length);
    writeFileSync(path, bytes);
    expect(await refusal()).toMatch(/saved\.backup has format 3; this Burgee reads format 2\. /);
    writeFileSync(path, 'burgee local copy, format 1');
    expect(await refusal()).toMatch(/saved\.backup has format 1; this Burgee reads format 2\. /);
  });

  it('is refused if it cannot be read', async () => {
    path = directory;
    expect(await refusal()).toMatch(/^cannot read .*: EISDIR/);
    path = join(directory, 'missing');
    expect(await refusal()).toMatch(/^cannot read .*: ENOENT/);
  });
});
