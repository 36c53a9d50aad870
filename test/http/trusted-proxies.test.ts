import { describe, expect, it } from 'vitest';
import { TrustedProxies } from '../../src/base/network/trusted-proxies.ts';
import { flag, prepare, switchedOn } from '../support/admin.ts';
import { startTestService } from '../support/service.ts';

describe('TRUST_PROXY', () => {
  it.each([
    ['', '10.0.0.1', '1.1.1.1', '10.0.0.1'],
    ['false', '10.0.0.1', '1.1.1.1', '10.0.0.1'],
    ['0', '10.0.0.1', '1.1.1.1', '10.0.0.1'],
    ['true', '10.0.0.1', '1.1.1.1, 2.2.2.2', '1.1.1.1'],
    ['true', '10.0.0.1', 'unknown, 2.2.2.2', '10.0.0.1'],
    ['1', '10.0.0.1', '1.1.1.1, 2.2.2.2', '2.2.2.2'],
    ['2', '10.0.0.1', '1.1.1.1, 2.2.2.2', '1.1.1.1'],
    ['3', '10.0.0.1', '1.1.1.1, 2.2.2.2', '1.1.1.1'],
    ['2', '10.0.0.1', '1.1.1.1, _hidden', '10.0.0.1'],
    ['private', '10.0.0.1', '1.1.1.1, 2.2.2.2', '2.2.2.2'],
    ['private', '10.0.0.1', '1.1.1.1, 192.168.7.7', '1.1.1.1'],
    ['private', '8.8.8.8', '1.1.1.1', '8.8.8.8'],
    ['private', 'fd00::1', '2001:db8::1', '2001:db8::1'],
    ['loopback', '127.0.0.1', '::ffff:1.1.1.1', '1.1.1.1'],
    ['loopback', '::1', '1.1.1.1', '1.1.1.1'],
    ['203.0.113.7,198.51.100.0/24', '198.51.100.9', '1.1.1.1, 203.0.113.7', '1.1.1.1'],
    ['203.0.113.7,198.51.100.0/24', '198.51.101.9', '1.1.1.1, 203.0.113.7', '198.51.101.9'],
  ])('with "%s" a request from %s, forwarded for "%s", comes from %s', (option, socketAddress, header, caller) => {
    const proxies = new TrustedProxies(option === '' ? [] : option.split(','));
    expect(proxies.callerOf(socketAddress, header)).toBe(caller);
    expect(proxies.callerOf(socketAddress, undefined)).toBe(socketAddress);
  });

  it('with any other value is refused', async () => {
    for (const text of ['proxy', '10.0.0.0/33', '10.0.0.1/', '::1/129', '1.2.3', 'true,10.0.0.1'])
      expect(() => new TrustedProxies(text.split(',')), text).toThrow(RangeError);
    await expect(startTestService({ env: { TRUST_PROXY: 'proxy' } })).rejects.toThrow(/TRUST_PROXY.*proxy/);
  });

  it('decides which address a frontend request has', async () => {
    const service = await startTestService({ env: { TRUST_PROXY: 'loopback' } });
    const address = { name: 'remoteAddress', parameters: { IPs: '10.1.1.0/24' } };
    await prepare(service, (draft) => {
      const [environment] = [switchedOn('development')];
      draft.put(
        'features',
        flag('near', {
          environments: [
            { ...environment, strategies: environment.strategies.map((strategy) => ({ ...strategy, ...address })) },
          ],
        }),
      );
    });
    const names = async (forwarded: string) =>
      (await service.call('getFrontendFeatures', { headers: { 'x-forwarded-for': forwarded } })).body.toggles.length;
    expect([await names('10.1.1.9'), await names('10.2.2.9, 10.1.1.9'), await names('10.1.1.9, 10.2.2.9')]).toEqual([
      1, 1, 0,
    ]);
    await service.close();
  });
});
