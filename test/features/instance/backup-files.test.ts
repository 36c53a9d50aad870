import { readdirSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ADMIN_TOKEN, startTestService } from '../../support/service.ts';
import { untilTrue } from '../../support/until.ts';

const LEFT = 'backup-01234567-89ab-cdef-0123-456789abcdef.tmp';

it('a backup that is downloaded never has a name on Linux, so a process that is killed at any moment leaves no file', async () => {
  const service = await startTestService({ onDisk: true });
  const seen = new Set<string>();
  const watcher = watch(service.directory, (_event, name) => void seen.add(String(name)));
  try {
    const answer = await fetch(`${service.url}/api/admin/backup`, { headers: { authorization: ADMIN_TOKEN } });
    expect(answer.status).toBe(200);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
    // Events of the directory arrive in order: after this one, all earlier ones have arrived.
    writeFileSync(join(service.directory, 'last'), '');
    await untilTrue(() => seen.has('last'), 'the directory was watched');
    const named = [...seen].filter((name) => name.startsWith('backup-'));
    if (process.platform === 'linux') expect(named).toEqual([]);
    expect(readdirSync(service.directory).filter((name) => name.startsWith('backup-'))).toEqual([]);
  } finally {
    watcher.close();
    await service.close();
  }
});

it('the file of a backup that a killed process left behind, where every file has a name, is removed at the next start', async () => {
  const service = await startTestService({ onDisk: true });
  const { directory } = service;
  await service.running.close();
  writeFileSync(join(directory, LEFT), '');
  const again = await startTestService({ directory });
  await untilTrue(() => !readdirSync(directory).includes(LEFT), 'it is removed');
  await again.close();
  await service.close();
});
