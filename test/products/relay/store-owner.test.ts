import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestRelay } from '../../support/relay.ts';
import { CLIENT_TOKEN, startTestService } from '../../support/service.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-owner-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

describe('a store', () => {
  it('of a service is not opened by a relay, which would replace its flags', async () => {
    const upstream = await startTestService();
    const service = await startTestService({ directory });
    await service.call('createFeature', { params: { projectId: 'default' }, body: { name: 'precious' } });
    await service.close();
    await expect(startTestRelay(upstream.url, { tokens: [CLIENT_TOKEN] }, { directory })).rejects.toThrow(
      'this store contains the flags of a Burgee server',
    );
    const again = await startTestService({ directory });
    const { body } = await again.call('getFeature', { params: { projectId: 'default', featureName: 'precious' } });
    expect(body.name).toBe('precious');
    await again.close();
    await upstream.close();
  });

  it('of a relay is not opened by a service, and the relay serves it at its next start', async () => {
    const upstream = await startTestService();
    const start = () => startTestRelay(upstream.url, { tokens: [CLIENT_TOKEN] }, { directory });
    const poll = (url: string) => fetch(`${url}/api/client/features`, { headers: { authorization: CLIENT_TOKEN } });
    const relay = await start();
    expect((await poll(relay.url)).status).toBe(200);
    await relay.close();
    await expect(startTestService({ directory })).rejects.toThrow('this store contains the flags that a relay got');
    const again = await start();
    expect((await poll(again.url)).status).toBe(200);
    await again.close();
    await upstream.close();
  });
});
