import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { head, rawRequest } from '../../support/http/raw-http.ts';
import { useService } from '../../support/service.ts';

const service = useService({ env: { BASE_URI_PATH: '/flags' } });

const FILES = ['/docs', '/docs/page.js', '/docs/start.js', '/docs/page.css'];
const ask = (path: string, encoding = 'identity') =>
  rawRequest(service.url, head(`GET /flags${path} HTTP/1.1`, `accept-encoding: ${encoding}`));

describe('the page of the API', () => {
  it('is where a browser is redirected that opens the root of a service without a console', async () => {
    const answer = await rawRequest(service.url, head('GET /flags/ HTTP/1.1'));
    expect([answer?.status, answer?.headers.get('location')]).toEqual([303, '/flags/docs']);
  });

  it('loads what it needs from this service alone, under its base path', async () => {
    const page = await ask('/docs');
    expect(page?.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const addresses = [...String(page?.body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(addresses.length).toBe(3);
    for (const address of addresses) {
      expect(address).toMatch(/^\/flags\/docs\/[\w.]+\?v=/);
      expect((await fetch(new URL(address, service.url))).status).toBe(200);
    }
    const start = String((await ask('/docs/start.js'))?.body);
    expect(start).toContain('"url":"/flags/docs/openapi.json"');
    expect(start).toContain('"validatorUrl":null');
  });

  it('may run only the scripts in its own files, and may not be framed', async () => {
    const policy = (await ask('/docs'))?.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/https?:|unsafe-eval|\*/);
    expect(String((await ask('/docs'))?.body)).not.toMatch(/<script>|style=|onload/);
  });

  it.each(FILES)('sends %s compressed to clients that accept it, with the same content', async (path) => {
    const [plain, packed] = [await ask(path), await ask(path, 'gzip')];
    expect([plain?.status, packed?.status]).toEqual([200, 200]);
    expect(packed?.headers.get('content-encoding')).toBe('gzip');
    expect(plain?.headers.get('content-encoding')).toBeUndefined();
    expect(gunzipSync(packed?.body ?? Buffer.alloc(0)).equals(plain?.body ?? Buffer.alloc(0))).toBe(true);
    expect(plain?.headers.get('x-content-type-options')).toBe('nosniff');
    expect(plain?.headers.get('vary')).toContain('accept-encoding');
  });

  it('is less than one megabyte in total for a browser', async () => {
    let sizeBytes = 0;
    for (const path of FILES) sizeBytes += (await ask(path, 'gzip'))?.body.length ?? 0;
    expect(sizeBytes).toBeGreaterThan(100_000);
    expect(sizeBytes).toBeLessThan(1_000_000);
  });
});
