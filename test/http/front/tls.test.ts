import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Unleash, UnleashEvents } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selfSigned } from '../../support/programs/certificate.ts';
import { endSdk } from '../../support/programs/end-sdk.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, startTestService, type TestService } from '../../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'burgee-tls-'));
const { key, certificate } = selfSigned('localhost');
const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
const TLS = {
  TLS_ENABLE: 'true',
  TLS_SERVER_PORT: '0',
  TLS_SERVER_KEY: keyFile,
  TLS_SERVER_CERT: certificateFile,
};

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends a request over TLS, and trusts only the certificate of this test. */
async function ask(port: number, path: string, options: { method?: string; token?: string; body?: object } = {}) {
  const { method = 'GET', token = ADMIN_TOKEN, body } = options;
  const headers = { authorization: token, ...(body && { 'content-type': 'application/json' }) };
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    headers,
    ca: certificate,
    agent: false,
    checkServerIdentity: () => undefined,
  });
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, headers: response.headers, text } as Answer;
}

describe('TLS', () => {
  let service: TestService;
  let port: number;

  beforeAll(async () => {
    writeFileSync(keyFile, key, { mode: 0o600 });
    writeFileSync(certificateFile, certificate);
    service = await startTestService({ env: { ...TLS, UNLEASH_DEFAULT_ADMIN_PASSWORD: 'Correct-Horse-9' } });
    port = service.running.tlsPort ?? 0;
    await service.call('createFeature', { params: { projectId: 'default' }, body: { name: 'hello' } });
    const params = { projectId: 'default', featureName: 'hello', environment: 'development' };
    await service.call('toggleFeatureEnvironmentOn', { params });
  });

  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('serves the same answers on its own port, in addition to plain HTTP', async () => {
    const secure = await ask(port, '/api/client/features', { token: CLIENT_TOKEN });
    const plain = await fetch(`${service.url}/api/client/features`, { headers: { authorization: CLIENT_TOKEN } });
    expect(secure.status).toBe(200);
    expect(secure.text).toBe(await plain.text());
    expect(secure.headers.etag).toBe(plain.headers.get('etag'));
    expect((await ask(port, '/no/such/path')).status).toBe(404);
  });

  it('accepts changes and large bodies', async () => {
    const body = { name: 'described', description: 'd'.repeat(9_000) };
    const made = await ask(port, '/api/admin/projects/default/features', { method: 'POST', body });
    expect(made.status).toBe(201);
    const list = await ask(port, '/api/admin/projects/default/features/described');
    expect(JSON.parse(list.text).description).toBe(body.description);
  });

  it('is used by an unmodified SDK that trusts the certificate', async () => {
    const sdk = new Unleash({
      skipInstanceCountWarning: true,
      url: `https://127.0.0.1:${port}/api`,
      appName: 'tls',
      customHeaders: { Authorization: CLIENT_TOKEN },
      refreshInterval: 3_600_000,
      disableMetrics: true,
      httpOptions: { rejectUnauthorized: false },
      storageProvider: { set: async () => {}, get: async () => undefined },
    });
    await once(sdk, UnleashEvents.Synchronized);
    const isOn = sdk.isEnabled('hello');
    endSdk(sdk);
    expect(isOn).toBe(true);
  });

  it('marks session cookies as Secure, which plain HTTP does not', async () => {
    const body = { username: 'admin', password: 'Correct-Horse-9' };
    const secure = await ask(port, '/auth/simple/login', { method: 'POST', body });
    expect([secure.status, String(secure.headers['set-cookie'])]).toEqual([200, expect.stringContaining('; Secure')]);
    const plain = await service.call('login', { body });
    expect(plain.headers.get('set-cookie')).not.toContain('Secure');
  });

  it('supports no TLS version older than 1.2', async () => {
    const outcome = (version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') =>
      new Promise<string>((resolve) => {
        const ciphers = 'DEFAULT:@SECLEVEL=0';
        const options = { host: '127.0.0.1', port, ca: certificate, ciphers, checkServerIdentity: () => undefined };
        const socket = connect({ ...options, minVersion: version, maxVersion: version });
        socket.once('secureConnect', () => resolve(socket.end().getProtocol() ?? ''));
        socket.once('error', () => resolve('refused'));
      });
    expect([await outcome('TLSv1.1'), await outcome('TLSv1.2'), await outcome('TLSv1.3')]).toEqual([
      'refused',
      'TLSv1.2',
      'TLSv1.3',
    ]);
  });

  it('survives callers that use another protocol, or disconnect in the middle', async () => {
    const plain = await fetch(`http://127.0.0.1:${port}/health`).catch(() => 'refused');
    expect(plain).toBe('refused');
    const cut = connect({ host: '127.0.0.1', port, ca: certificate, checkServerIdentity: () => undefined });
    await once(cut, 'secureConnect');
    cut.write('POST /api/client/metrics HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf');
    cut.destroy();
    expect((await ask(port, '/health')).status).toBe(200);
  });
});

describe('TLS that cannot be used', () => {
  it.each([
    ['without a key', { TLS_SERVER_KEY: '' }, /TLS_ENABLE needs TLS_SERVER_KEY/],
    ['without a certificate', { TLS_SERVER_CERT: '' }, /TLS_ENABLE needs TLS_SERVER_CERT/],
    ['with a missing file', { TLS_SERVER_CERT: '/no/such/file' }, /TLS_SERVER_CERT cannot be read: ENOENT/],
    ['with another key', 'other', /are no key and its certificate/],
    ['with files that contain neither', 'neither', /are no key and its certificate/],
  ])('makes the start fail %s, with the reason', async (_what, change, message) => {
    const own = mkdtempSync(join(tmpdir(), 'burgee-tls-'));
    const write = (name: string, text: string) => {
      writeFileSync(join(own, name), text);
      return join(own, name);
    };
    const files = {
      TLS_SERVER_KEY: write('key', change === 'other' ? selfSigned('other').key : change === 'neither' ? 'x' : key),
      TLS_SERVER_CERT: write('certificate', change === 'neither' ? 'x' : certificate),
    };
    const env = { ...TLS, ...files, ...(typeof change === 'object' && change) };
    try {
      await expect(startTestService({ env })).rejects.toThrow(message);
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
  });
});
