import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { type ChildLine, type Injection, StoreChild, straceWorks } from '../children.ts';

let directory: string;
let store: LmdbStore | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'burgee-lmdb-faults-'));
  store = undefined;
});

afterEach(async () => {
  await store?.close();
  rmSync(directory, { recursive: true, force: true });
});

const openPlain = async () => {
  store = new LmdbStore({ directory, logger: silentLogger });
  return { store, opening: await store.open() };
};

/** Failing system calls of a real process. `mayAbort`: lmdb-js overwrites memory when a page cannot be written, and may crash then. */
const INJECTIONS: { name: string; inject: Injection; mayAbort?: boolean }[] = [
  { name: 'every fdatasync', inject: { call: 'fdatasync', error: 'EIO', when: '20+' } },
  { name: 'one fdatasync', inject: { call: 'fdatasync', error: 'EIO', when: '20' } },
  { name: 'one fdatasync (full disk)', inject: { call: 'fdatasync', error: 'ENOSPC', when: '20' } },
  ...['40', '41', '42', '43', '40+', '41+'].map((when) => ({
    name: `a write of a data or meta page (${when})`,
    inject: { call: 'pwrite64', error: 'EIO', when } as const,
    mayAbort: true,
  })),
  { name: 'a write (full disk)', inject: { call: 'pwrite64', error: 'ENOSPC', when: '41' }, mayAbort: true },
];

describe('LmdbStore under strace', () => {
  // Without strace, only FailingEnvironment (lmdb-faults.test.ts) simulates disk faults. This list is empty then, and a warning is logged.
  const injections = straceWorks() ? INJECTIONS : [];

  it('runs with every injection if strace is installed', () => {
    if (injections.length === 0) console.warn('strace is missing: failing syncs were simulated only');
    expect(injections.length === 0 || injections.length === INJECTIONS.length).toBe(true);
  });

  it.each(injections)('stores every acknowledged entry when $name fails', async ({ inject, mayAbort }) => {
    const child = new StoreChild('append', directory, { inject });
    try {
      const first = await child.line(({ failed }) => failed !== undefined).catch((error: Error) => error);
      // The child continues and is killed while it works: entries that it did not report yet may be stored.
      const goesOn = inject.error === 'ENOSPC' && inject.call === 'fdatasync';
      if (goesOn) await child.line(({ tip }) => (tip ?? 0) > 60);
      else await child.ended();
      await child.kill();
      const failedAt = child.lines.findIndex(({ failed }) => failed !== undefined);
      const acknowledged = lastTip(child.lines);
      if (first instanceof Error) expect(mayAbort).toBe(true);
      else if (inject.error === 'EIO') checkPoisoned(child.lines.slice(failedAt));
      const { opening, store: reopened } = await openPlain();
      const unknown = child.lines.find(({ outcome }) => outcome === 'unknown');
      if (goesOn || unknown || first instanceof Error) expect(opening.tip).toBeGreaterThanOrEqual(acknowledged);
      else expect(opening.tip).toBe(acknowledged);
      expect(await reopened.read(1, opening.tip)).toHaveLength(opening.tip);
    } finally {
      await child.kill();
    }
  });
});

const lastTip = (lines: readonly ChildLine[]): number => Math.max(0, ...lines.map(({ tip }) => tip ?? 0));

/** After the first failure, nothing is acknowledged, and reads return the previous tip or an error. */
function checkPoisoned(lines: readonly ChildLine[]): void {
  expect(lines.filter(({ tip }) => tip !== undefined)).toEqual([]);
  for (const line of lines.filter(({ failed }) => failed !== undefined)) {
    expect(line.name).toBe('StoreError');
    expect(line.status?.reachable).toBe(false);
    expect(typeof line.read === 'number' || line.read === 'StoreError').toBe(true);
  }
  const [, ...later] = lines.filter(({ failed }) => failed !== undefined);
  expect(later.every(({ outcome }) => outcome === 'not-appended')).toBe(true);
}
