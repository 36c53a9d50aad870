import { afterEach, describe, expect, it } from 'vitest';
import { accepted } from './support/admin.ts';
import { filesWith } from './support/raw-bytes.ts';
import { startTestService, type TestService, type TestServiceOptions } from './support/service.ts';

describe('The secret of a deleted token', () => {
  const services: TestService[] = [];

  afterEach(async () => {
    for (const service of services.splice(0)) await service.close();
  });

  const start = async (options: TestServiceOptions = {}) => {
    const service = await startTestService(options);
    services.push(service);
    return service;
  };

  const create = async (service: TestService, tokenName: string): Promise<string> => {
    const { body } = await accepted(service, 'createApiToken', { body: { type: 'client', tokenName } });
    return body.secret;
  };

  it('is gone from the embedded store after the next snapshot, the free pages of its file included', async () => {
    const service = await start();
    const { snapshotter } = service.running;
    const secret = await create(service, 'short-lived');
    const kept = await create(service, 'kept');
    await snapshotter.snapshot();
    expect(filesWith(service.directory, secret)).toEqual(['data.mdb']);
    await accepted(service, 'deleteApiToken', { params: { token: secret } });
    await snapshotter.snapshot();
    expect(filesWith(service.directory, secret)).toEqual([]);
    expect(filesWith(service.directory, kept)).toEqual(['data.mdb']);
    expect((await service.call('getAllClientFeatures', { token: kept })).status).toBe(200);
  });

  it('is gone after the next snapshot when the process was started again in between', async () => {
    const first = await start();
    const secret = await create(first, 'short-lived');
    await accepted(first, 'deleteApiToken', { params: { token: secret } });
    await first.running.close();
    const second = await start({ directory: first.directory });
    expect(filesWith(first.directory, secret)).toEqual(['data.mdb']);
    await second.running.snapshotter.snapshot();
    expect(filesWith(first.directory, secret)).toEqual([]);
  });

  it('is gone after the snapshot that follows the one that was under way', async () => {
    const service = await start();
    const { snapshotter } = service.running;
    const secret = await create(service, 'short-lived');
    const underWay = snapshotter.snapshot();
    await accepted(service, 'deleteApiToken', { params: { token: secret } });
    await underWay;
    await snapshotter.snapshot();
    expect(filesWith(service.directory, secret)).toEqual([]);
  });
});
