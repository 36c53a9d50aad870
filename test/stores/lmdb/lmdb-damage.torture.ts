import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';
import { damagedCopy, fillSmall, opening, PAGE_BYTES } from './small-store.ts';

const CHILD = fileURLToPath(new URL('../children/flip-child.mjs', import.meta.url));

describe('an embedded store with a damaged data file', { timeout: 120_000 }, () => {
  let root: string;
  let original: string;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'burgee-damage-'));
    original = join(root, 'original');
    await fillSmall(original);
  });

  const children: ChildProcess[] = [];
  // Ends the children of tests that timed out.
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const damaged = (name: string, change: (file: Buffer) => void) => damagedCopy(original, join(root, name), change);

  /** `how` are arguments of the child. Each damage must be refused in one line with advice, or change nothing that is read. */
  const tryAll = async (...how: string[]) => {
    const child = spawn(process.execPath, [CHILD, original, join(root, `flipped-${how[0]}`), ...how], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const [code, signal] = await once(child, 'close');
    const lines = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const last = lines.at(-1);
    expect(last.done, `the process ended with ${code ?? signal} at ${JSON.stringify(last)}`).toBe(true);
    expect(lines.filter(({ differs, unclear }) => differs || unclear)).toEqual([]);
    expect(last.refused).toBeGreaterThan(50);
    expect(last.same).toBeGreaterThan(10);
    return last;
  };

  it('is refused in one line with advice, or keeps its content, whichever bit of an LMDB structure is flipped', async () => {
    await tryAll(process.env.BURGEE_FLIPS === 'all' ? '1' : '17');
  }, 900_000);

  it('is refused in one line with advice, or keeps its content, whichever bytes are damaged', async () => {
    // For a long run: BURGEE_DAMAGES=20000 BURGEE_SEED=7.
    const { BURGEE_SEED: seed = '1', BURGEE_DAMAGES: count = '300' } = process.env;
    expect(await tryAll('random', seed, count)).toMatchObject({ tried: Number(count) });
  }, 900_000);

  it('makes a start end with one line of advice, not with a signal, when a page is all zeros', async () => {
    const file = readFileSync(join(original, 'data.mdb'));
    let tried = 0;
    for (let page = 0; page < file.length / PAGE_BYTES; page += 1) {
      const directory = damaged(`zeros-${page}`, (copy) => copy.fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES));
      const message = await opening(directory).then(
        () => null,
        (error: Error) => error.message,
      );
      if (message === null) continue;
      expect(message).toMatch(/^[^\n]*Restore the data directory from a backup[^\n]*$/);
      if (tried++ > 0) continue;
      const burgee = new BurgeeProcess({ DATA_DIR: directory });
      expect(await burgee.exited).toBe(1);
      expect(burgee.stderr).toMatch(/\nburgee cannot start: [^\n]*Restore the data directory from a backup[^\n]*\n$/);
    }
    expect(tried).toBeGreaterThan(10);
  });
});
