import { afterEach, describe, expect, it } from 'vitest';
import { AllowedAddresses } from '../../src/base/network/address-ranges.ts';
import { forgetService } from '../support/checks/documented-answers.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, startTestService, type TestService } from '../support/service.ts';

let service: TestService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function start(env: Record<string, string>): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  service = await startTestService({ env });
  const { url } = service;
  // The IP filter answers 403 on every path. The OpenAPI document does not list that for the routes.
  forgetService(url);
  return (path, init) => fetch(`${url}${path}`, init);
}

describe('the IP filter', () => {
  it('allows all addresses or those of the allow list, except those of the deny list', () => {
    const has = (allowed: string[], denied: string[], address: string) =>
      new AllowedAddresses(allowed, denied).has(address);
    expect(has([], [], '203.0.113.7')).toBe(true);
    expect(has(['10.0.0.0/8', '2001:db8::/32'], [], '10.2.3.4')).toBe(true);
    expect(has(['10.0.0.0/8', '2001:db8::/32'], [], '2001:db8::1')).toBe(true);
    expect(has(['10.0.0.0/8'], [], '11.0.0.1')).toBe(false);
    expect(has(['10.0.0.0/8'], ['10.1.0.0/16'], '10.1.2.3')).toBe(false);
    expect(has([], ['203.0.113.7'], '203.0.113.7')).toBe(false);
    expect(() => has(['10.0.0.0/99'], [], '')).toThrow('"10.0.0.0/99" is neither an address nor a range');
  });

  it('applies to every path, before anything else', async () => {
    const ask = await start({ ALLOW_LIST: '10.0.0.0/8,192.168.1.1', TRUST_PROXY: '127.0.0.1' });
    const paths = ['/health', '/api/client/features', '/api/frontend', '/api/client/streaming', '/no/such/path'];
    for (const path of paths) {
      const refused = await ask(path, { headers: { authorization: CLIENT_TOKEN } });
      expect([path, refused.status]).toEqual([path, 403]);
      expect(await refused.json()).toMatchObject({
        message: 'The IP filter of this service does not allow your address.',
      });
    }
    const headers = { authorization: CLIENT_TOKEN, 'x-forwarded-for': '203.0.113.7, 10.4.4.4' };
    expect((await ask('/api/client/features', { headers })).status).toBe(200);
    const posted = { method: 'POST', body: '{"context":{}}' };
    const others = { 'content-type': 'application/json', 'x-forwarded-for': '10.4.4.4' };
    const reply = await ask('/api/frontend', { ...posted, headers: { ...others, authorization: FRONTEND_TOKEN } });
    expect(reply.status).toBe(200);
  });

  it('fails the start when a list contains something other than addresses', async () => {
    await expect(startTestService({ env: { DENY_LIST: 'everybody' } })).rejects.toThrow(
      'ALLOW_LIST or DENY_LIST: "everybody" is neither an address nor a range of addresses',
    );
  });
});

describe('the header of tokens', () => {
  it('may be another header on every kind of route; authorization is ignored then', async () => {
    const ask = await start({ EDGE_AUTH_HEADER: 'X-Flag-Token' });
    const status = async (path: string, headers: Record<string, string>, init: RequestInit = {}) => {
      const signal = AbortSignal.timeout(5_000);
      const answer = await ask(path, { ...init, headers, signal });
      await answer.body?.cancel();
      return answer.status;
    };
    const body = { method: 'POST', body: '{"context":{"userId":"1"}}' };
    const json = { 'content-type': 'application/json' };
    for (const path of ['/api/client/features', '/api/client/streaming', '/api/client/delta']) {
      expect([path, await status(path, { 'x-flag-token': CLIENT_TOKEN })]).toEqual([path, 200]);
      expect([path, await status(path, { authorization: CLIENT_TOKEN })]).toEqual([path, 401]);
    }
    expect(await status('/api/frontend?userId=1', { 'x-flag-token': FRONTEND_TOKEN })).toBe(200);
    expect(await status('/api/frontend', { ...json, 'x-flag-token': FRONTEND_TOKEN }, body)).toBe(200);
    expect(await status('/api/frontend', { ...json, authorization: FRONTEND_TOKEN }, body)).toBe(401);
    expect(await status('/health', {})).toBe(200);
  });

  it('must be a valid name', async () => {
    await expect(startTestService({ env: { EDGE_AUTH_HEADER: 'x token' } })).rejects.toThrow(
      'EDGE_AUTH_HEADER must be the name of a header, not "x token"',
    );
  });
});
