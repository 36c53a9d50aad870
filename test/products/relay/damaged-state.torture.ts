import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { UnsentFile } from '../../../src/products/relay/unsent-file.ts';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';
import { CLIENT_TOKEN, startTestService, type TestService } from '../../support/service.ts';

let folder: string;
let upstream: TestService;
const processes: BurgeeProcess[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'burgee-damaged-'));
  upstream = await startTestService();
});
afterEach(async () => {
  for (const each of processes.splice(0)) await each.stop();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

function relay(): BurgeeProcess {
  const environment = { UPSTREAM_URL: upstream.url, TOKENS: CLIENT_TOKEN, BACKUP_FOLDER: folder };
  const started = new BurgeeProcess(environment, [], ['relay']);
  processes.push(started);
  return started;
}

async function flagsOf(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/api/client/features`, { headers: { authorization: CLIENT_TOKEN } });
  const { features } = (await answer.json()) as { features: { name: string }[] };
  return features.map(({ name }) => name);
}

const dataFile = () => join(folder, 'data.mdb');

/** Overwrites everything but the first two pages, which have the description of the file. */
function overwritePages(): void {
  const file = openSync(dataFile(), 'r+');
  const { size } = statSync(dataFile());
  writeSync(file, Buffer.alloc(size - 8_192, 0xa5), 0, size - 8_192, 8_192);
  closeSync(file);
}

const DAMAGES: readonly (readonly [string, () => void])[] = [
  ['its pages are overwritten', overwritePages],
  ['it is no data file', () => writeFileSync(dataFile(), 'not a data file, and shorter than a page')],
  ['it is empty', () => truncateSync(dataFile(), 0)],
  ['it is missing', () => rmSync(dataFile())],
];

describe('a relay whose stored state cannot be used', () => {
  it.each(DAMAGES)('sets it aside, says so, and gets everything again: %s', async (_, damage) => {
    await upstream.call('createFeature', { params: { projectId: 'default' }, body: { name: 'precious' } });
    const first = relay();
    expect(await flagsOf(await first.url())).toEqual(['precious']);
    first.process.kill('SIGTERM');
    await first.exited;
    damage();
    const again = relay();
    expect(await flagsOf(await again.url())).toEqual(['precious']);
    await again.logged(/the stored data cannot be used: it was moved to/);
    const aside = readdirSync(folder).filter((name) => name.startsWith('unusable-'));
    expect(aside).toHaveLength(1);
    expect(readdirSync(join(folder, String(aside[0])))).toContain('store.json');
    // From then on, the new state is used.
    await again.stop();
    const third = relay();
    expect(await flagsOf(await third.url())).toEqual(['precious']);
    expect(readdirSync(folder).filter((name) => name.startsWith('unusable-'))).toHaveLength(1);
    await third.stop();
    // A server with such data does not start, and changes nothing: there is no other copy of its data.
    damage();
    const server = new BurgeeProcess({ DATA_DIR: folder });
    processes.push(server);
    expect(await server.exited).toBe(1);
    expect(server.stderr).toContain('burgee cannot start: ');
    expect(readdirSync(folder).filter((name) => name.startsWith('unusable-'))).toHaveLength(1);
  });
});

describe('a file of unsent reports that cannot be read', () => {
  const NAME = 'unsent-reports.json';
  it.each([
    ['no JSON', '{"format":1,'],
    ['of another form', '{"format":2}'],
  ])('is kept under another name, because there is no other copy of these reports: %s', async (_, content) => {
    writeFileSync(join(folder, NAME), content);
    const file = new UnsentFile(folder, silentLogger);
    expect(await file.read()).toEqual([]);
    const [kept = '', ...more] = readdirSync(folder);
    expect(more).toEqual([]);
    expect(kept).toMatch(/^unsent-reports\.json\..*\.damaged$/);
    expect(readFileSync(join(folder, kept), 'utf8')).toBe(content);
    const batch = { id: 'a', environment: 'development', projects: ['*'], body: '{}' };
    await file.write([batch]);
    expect(await file.read()).toEqual([batch]);
    expect(readdirSync(folder)).toEqual([kept]);
  });
});
