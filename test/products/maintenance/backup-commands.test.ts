import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accepted, prepare } from '../../support/admin.ts';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';
import { burgee } from '../../support/programs/run-burgee.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, startTestService, useService } from '../../support/service.ts';
import { tell } from './store-command.ts';

const service = useService();
let root: string;
let folder: string;
let server: Server | undefined;

beforeAll(async () => {
  for (const name of ['one', 'two'])
    await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name } });
});
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'burgee-commands-'));
  folder = join(root, 'backups');
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  rmSync(root, { recursive: true, force: true });
});

/** A service that sends half of an answer and closes the connection. */
async function startBroken(): Promise<string> {
  const broken = createServer((_request, answer) => {
    answer.write('burgee-backup\r\n');
    setImmediate(() => answer.destroy());
  });
  server = broken;
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
}

const backup = (...more: string[]) => burgee(['backup', '--to', folder, '--url', service.url, ...more]);
const files = () => readdirSync(folder).sort();

describe('burgee backup', () => {
  it('writes a private file that was read back, and keeps as many as it is to', async () => {
    const paths: string[] = [];
    for (const removed of [0, 0, 1]) {
      const { code, out, err } = await backup('--keep', '2');
      expect([code, err]).toEqual([0, '']);
      const [path = '', ...rest] = out.trim().split('\n');
      expect(rest).toEqual(removed === 0 ? [] : ['removed 1 older backup']);
      paths.push(path);
    }
    expect(files().map((name) => join(folder, name))).toEqual(paths.slice(1));
    for (const path of [folder, ...paths.slice(1)]) expect(statSync(path).mode & 0o077).toBe(0);
    const [held] = await tell('digest', '--from', `file:${paths[2]}`);
    expect(held).toMatchObject({ revision: service.running.services.state.seq, flags: 2 });
  });

  it('says why it has none, and leaves nothing', async () => {
    expect(await burgee(['backup', '--to', folder, '--url', service.url], { BURGEE_TOKEN: CLIENT_TOKEN })).toEqual({
      code: 1,
      out: '',
      err: 'burgee backup: the service refused to send its state: 403; the token in BURGEE_TOKEN must be an admin’s\n',
    });
    const noToken = await burgee(['backup', '--to', folder, '--url', service.url], { BURGEE_TOKEN: '' });
    expect([noToken.code, noToken.err]).toEqual([1, expect.stringContaining('set BURGEE_TOKEN')]);
    const broken = await burgee(['backup', '--to', folder, '--url', await startBroken()]);
    expect([broken.code, broken.err]).toEqual([1, expect.stringMatching(/broke before the backup was complete/)]);
    expect(files()).toEqual([]);
    writeFileSync(join(root, 'file'), '');
    const noFolder = await burgee(['backup', '--to', join(root, 'file'), '--url', service.url]);
    expect([noFolder.code, noFolder.err]).toEqual([1, expect.stringMatching(/the backup was not written: E/)]);
  });

  it('ends with 2 if it does not understand its arguments', async () => {
    expect((await burgee(['backup'])).code).toBe(2);
    for (const keep of ['0', '-1', 'all', '10000']) {
      const { code, err } = await backup(`--keep=${keep}`);
      expect([code, err]).toEqual([2, expect.stringContaining('--keep must be a number from 1 to 9999')]);
    }
  });
});

describe('burgee restore', () => {
  const rehearsals = () => readdirSync(tmpdir()).filter((name) => name.startsWith('burgee-rehearsal-'));
  const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

  it('--rehearse says that a service would start with the newest backup, and changes nothing', async () => {
    const path = (await backup()).out.trim();
    const hash = hashOf(path);
    const { code, out, err } = await burgee(['restore', '--rehearse'], { AUTO_BACKUP_DIR: folder });
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^A service would start with .*\.backup\n {2}taken {5}\S+ \(0 min ago\)\n {2}revision {2}\d+\n {2}holds {5}2 flags, 1 projects,/,
    );
    const json = await burgee(['restore', '--rehearse', '--from', folder, '--json']);
    expect(JSON.parse(json.out)).toMatchObject({
      wouldStart: true,
      path,
      ageS: expect.any(Number),
      revision: service.running.services.state.seq,
      counts: { flags: 2, projects: 1, environments: 2, 'API tokens': 3 },
    });
    expect(hashOf(path)).toBe(hash);
    expect(files()).toHaveLength(1);
    expect(rehearsals()).toEqual([]);
  });

  it('--rehearse ends with 1 and the reason if a service would not start', async () => {
    const whole = (await backup()).out.trim();
    const bytes = readFileSync(whole);
    const newer = join(folder, 'burgee-2999-01-01T00-00-00.000Z.backup');
    writeFileSync(newer, bytes.subarray(0, bytes.length - 10));
    const cut = await burgee(['restore', '--rehearse', '--from', folder]);
    expect([cut.code, cut.out]).toEqual([1, '']);
    expect(cut.err).toBe(
      `burgee restore: a service would not start with ${newer}: ${newer} is cut off: its end is missing\n`,
    );
    bytes.writeUInt8((bytes.at(200) ?? 0) ^ 1, 200);
    writeFileSync(newer, bytes);
    const json = await burgee(['restore', '--rehearse', '--from', newer, '--json']);
    expect([json.code, JSON.parse(json.out)]).toMatchObject([
      1,
      { wouldStart: false, reason: expect.stringContaining('damaged') },
    ]);
    expect(rehearsals()).toEqual([]);
  });

  it('--rehearse finds that a backup is the one of a relay, whose flags no server can use', async () => {
    const relay = await startTestService();
    try {
      const scope = { environment: 'development', projects: ['*'], etag: null, at: '2026-01-01T00:00:00.000Z' };
      await prepare(relay, (draft) => draft.put('mirroredScopes', scope));
      await burgee(['backup', '--to', folder, '--url', relay.url]);
    } finally {
      await relay.close();
    }
    const { code, err } = await burgee(['restore', '--rehearse', '--from', folder]);
    expect([code, err]).toEqual([1, expect.stringContaining('the flags that a relay got from its upstream')]);
  });

  it('restores the newest backup of a folder into an empty location', async () => {
    const path = (await backup()).out.trim();
    const target = `lmdb:${join(root, 'data')}`;
    const { code, out } = await burgee(['restore', '--from', folder, '--to', target]);
    expect(code).toBe(0);
    expect(out).toContain(`from file:${path}`);
    const [restored] = await tell('digest', '--from', target);
    const [held] = await tell('digest', '--from', `file:${path}`);
    expect({ ...restored, place: '' }).toEqual({ ...held, place: '' });
    const again = await burgee(['restore', '--from', folder, '--to', target]);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('holds a store already')]);
  });

  it('refuses what it does not understand, and a folder without a backup', async () => {
    mkdirSync(folder);
    expect((await burgee(['restore'])).code).toBe(2);
    expect((await burgee(['restore', '--rehearse', '--to', 'lmdb:x', '--from', folder])).code).toBe(2);
    expect((await burgee(['restore', '--rehearse', '--new-revisions', '--from', folder])).code).toBe(2);
    expect((await burgee(['restore', '--rehearse'])).err).toContain('specify --from PLACE, or set AUTO_BACKUP_DIR');
    expect(await burgee(['restore', '--rehearse', '--from', folder])).toMatchObject({
      code: 1,
      err: `burgee restore: there is no backup in ${folder}\n`,
    });
    expect((await burgee(['restore', '--rehearse', '--from', join(root, 'none')])).err).toContain('ENOENT');
  });
});

it('both commands work in the packed program', async () => {
  const run = async (args: readonly string[]) => {
    const started = new BurgeeProcess({ BURGEE_TOKEN: ADMIN_TOKEN }, [], args);
    return { code: await started.exited, out: started.stdout, err: started.stderr };
  };
  expect(await run(['backup', '--to', folder, '--url', service.url])).toMatchObject({ code: 0, err: '' });
  const { code, out, err } = await run(['restore', '--rehearse', '--from', folder]);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('A service would start with');
});

it('a service whose flags are those of another service writes no backups, and says so', async () => {
  const file = join(root, 'bootstrap.json');
  writeFileSync(file, JSON.stringify({ version: 2, features: [] }));
  const offline = new BurgeeProcess(
    { AUTO_BACKUP_DIR: folder, AUTO_BACKUP_EVERY_MS: '1' },
    [],
    ['offline', '--bootstrap-file', file, '--client-tokens', '*:development.some-secret', '--port', '0'],
  );
  try {
    await offline.logged(/AUTO_BACKUP_DIR has no effect here/);
    await offline.logged(/burgee serves/);
    expect(readdirSync(root)).toEqual(['bootstrap.json']);
  } finally {
    await offline.stop();
  }
});
