import { writeFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Logger } from '../../../src/base/logger.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { CONSOLE_PATHS } from '../../../src/features/console/paths.ts';
import { FRONTS } from '../../support/http/front.ts';
import { head, RawConnection, rawRequest } from '../../support/http/raw-http.ts';
import { makeConsoleFolder, SCRIPT } from '../../support/programs/console-folder.ts';
import { startTestRelay } from '../../support/relay.ts';
import { CLIENT_TOKEN, startTestService, type TestService } from '../../support/service.ts';

const built = makeConsoleFolder();
const ASSET = '/assets/index-AbCd1234.js';
let service: TestService;
let prefixed: TestService;
let without: TestService;

beforeAll(async () => {
  service = await startTestService({ consoleFolder: built.folder });
  prefixed = await startTestService({ consoleFolder: built.folder, env: { BASE_URI_PATH: '/flags' } });
  without = await startTestService();
});

afterAll(async () => {
  for (const each of [service, prefixed, without]) await each.close();
  built.remove();
});

const get = (path: string, headers: Record<string, string> = {}, from = service) =>
  rawRequest(
    from.url,
    head(`GET ${path} HTTP/1.1`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)),
  );
const exampleOf = (path: string) => path.replace(/:\w+/g, 'some%20one');

describe('the page of the console', () => {
  it('is the answer at the root and at the path of each screen, with and without a slash at its end', async () => {
    const page = await get('/');
    expect([page?.status, page?.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const path of CONSOLE_PATHS.map(exampleOf)) {
      for (const address of [path, `${path}/`, `${path}?tab=history`]) {
        const answer = await get(address);
        expect([address, answer?.status, answer?.body.equals(page?.body as Buffer)]).toEqual([address, 200, true]);
      }
    }
  });

  it('names its assets by absolute paths, because it is served at paths of any depth', async () => {
    const text = String((await get('/projects/shop/features/new-checkout'))?.body);
    expect(text).toContain('<meta name="burgee-base" content="">');
    expect(text).toContain('src="/assets/index-AbCd1234.js"');
    expect(text).toContain('href="/assets/index-EfGh5678.css"');
    expect(text).not.toMatch(/"\.|%BURGEE/);
  });

  it('is below the base path, also without a slash at the end', async () => {
    for (const path of ['/flags', '/flags/', '/flags/projects/shop']) {
      const answer = await get(path, {}, prefixed);
      expect([path, answer?.status]).toEqual([path, 200]);
      expect(String(answer?.body)).toContain('<meta name="burgee-base" content="/flags">');
      expect(String(answer?.body)).toContain('src="/flags/assets/index-AbCd1234.js"');
    }
    expect((await get(`/flags${ASSET}`, {}, prefixed))?.status).toBe(200);
    expect((await get('/', {}, prefixed))?.status).toBe(404);
    expect((await get(ASSET, {}, prefixed))?.status).toBe(404);
  });

  it('is asked for again each time, and answered 304 while it is the same', async () => {
    const page = await get('/');
    const etag = page?.headers.get('etag') ?? '';
    expect(page?.headers.get('cache-control')).toBe('no-cache');
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    for (const path of ['/', '/search']) {
      const again = await get(path, { 'if-none-match': etag });
      expect([again?.status, again?.body.length, again?.headers.get('etag')]).toEqual([304, 0, etag]);
      expect(again?.headers.get('cache-control')).toBe('no-cache');
    }
    expect((await get('/', { 'if-none-match': 'W/"other"' }))?.status).toBe(200);
    expect((await get('/flags/', { 'if-none-match': etag }, prefixed))?.status).toBe(200);
  });

  it('may run only scripts in files of this service, may not be framed, and sends no referrer', async () => {
    const { headers } = (await get('/')) ?? { headers: new Map() };
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
        "base-uri 'none'; frame-ancestors 'none'; form-action 'self'; require-trusted-types-for 'script'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.has('strict-transport-security')).toBe(false);
    const secure = await startTestService({
      consoleFolder: built.folder,
      env: { UNLEASH_URL: 'https://flags.example' },
    });
    expect((await get('/', {}, secure))?.headers.get('strict-transport-security')).toBe('max-age=31536000');
    await secure.close();
  });

  it('needs no credential, and a wrong one does no harm', async () => {
    expect((await get('/', { authorization: 'wrong', cookie: 'burgee-session=wrong' }))?.status).toBe(200);
  });
});

describe('an asset of the console', () => {
  it('never changes, and is sent in the smallest coding that the browser accepts', async () => {
    const [plain, gzip, brotli] = [
      await get(ASSET),
      await get(ASSET, { 'accept-encoding': 'gzip, deflate' }),
      await get(ASSET, { 'accept-encoding': 'gzip, deflate, br, zstd' }),
    ];
    const codings = [plain, gzip, brotli].map((answer) => answer?.headers.get('content-encoding'));
    expect(codings).toEqual([undefined, 'gzip', 'br']);
    expect(String(plain?.body)).toBe(SCRIPT);
    expect(String(gunzipSync(gzip?.body ?? Buffer.alloc(0)))).toBe(SCRIPT);
    expect(String(brotliDecompressSync(brotli?.body ?? Buffer.alloc(0)))).toBe(SCRIPT);
    for (const answer of [plain, gzip, brotli]) {
      expect(answer?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer?.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(answer?.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer?.headers.get('vary')).toBe('accept-encoding');
    }
    const refused = await get(ASSET, { 'accept-encoding': 'br;q=0, gzip;q=0' });
    expect(refused?.headers.get('content-encoding')).toBeUndefined();
  });

  it('that the build did not compress is sent as it is', async () => {
    const style = await get('/assets/index-EfGh5678.css', { 'accept-encoding': 'br, gzip' });
    expect([style?.status, style?.headers.get('content-encoding')]).toEqual([200, undefined]);
    expect(style?.headers.get('content-type')).toBe('text/css; charset=utf-8');
  });

  it.each([
    '/assets/index-OldOne12.js',
    `${ASSET}.br`,
    '/assets/..%2Findex.html',
    '/assets/__proto__',
    '/assets/',
    '/assets',
  ])('is missing at %s, and no cache keeps that answer', async (path) => {
    const answer = await get(path);
    expect([answer?.status, answer?.headers.get('cache-control')]).toEqual([404, 'no-store']);
  });

  it('is of the build that was there at the start', async () => {
    const replaced = makeConsoleFolder();
    const other = await startTestService({ consoleFolder: replaced.folder });
    const before = await get('/', {}, other);
    writeFileSync(`${replaced.folder}index.html`, 'new');
    writeFileSync(`${replaced.folder}${ASSET}`, 'new');
    expect(String((await get(ASSET, {}, other))?.body)).toBe(SCRIPT);
    expect((await get('/', {}, other))?.body).toEqual(before?.body);
    await other.close();
    replaced.remove();
  });
});

describe('HEAD', () => {
  it.each(['/', '/projects/shop', ASSET])('of %s has the headers of GET and no body', async (path) => {
    const connection = await RawConnection.open(service.url);
    connection.write(head(`HEAD ${path} HTTP/1.1`, 'accept-encoding: gzip'));
    const answer = await connection.answer(true);
    const whole = await get(path, { 'accept-encoding': 'gzip' });
    connection.socket.destroy();
    expect(answer?.status).toBe(200);
    expect(answer?.headers.get('content-length')).toBe(String(whole?.body.length));
    for (const name of ['etag', 'cache-control', 'content-type', 'content-encoding', 'content-security-policy'])
      expect([name, answer?.headers.get(name)]).toEqual([name, whole?.headers.get(name)]);
  });
});

describe('a path that is no screen', () => {
  it.each([
    '/nothing',
    '/projects/shop/nothing',
    '/api',
    '/api/nothing',
    '/api/admin/nothing',
    '/auth/nothing',
    '/edge/nothing',
    '/ofrep/nothing',
    '/index.html',
    '/docs/nothing',
  ])('is still 404: %s', async (path) => {
    const answer = await get(path);
    expect([answer?.status, answer?.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
  });

  const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

  it.each(FRONTS)('is the page for a browser, with the status 404, from the %s front', async (front) => {
    const own = await startTestService({ consoleFolder: built.folder, env: { HTTP_FRONT: front } });
    const page = await get('/', {}, own);
    try {
      for (const path of ['/nothing', '/projects/shop/nothing', '/index.html']) {
        const answer = await get(path, BROWSER, own);
        expect([
          path,
          answer?.status,
          answer?.headers.get('content-type'),
          answer?.headers.get('cache-control'),
        ]).toEqual([path, 404, 'text/html; charset=utf-8', 'no-store']);
        expect(answer?.headers.get('content-security-policy')).toBe(page?.headers.get('content-security-policy'));
        expect(answer?.body.equals(page?.body as Buffer)).toBe(true);
      }
      for (const path of ['/api/nothing', '/auth/nothing', '/edge/nothing', '/ofrep/nothing', '/health/nothing'])
        expect([path, (await get(path, BROWSER, own))?.headers.get('content-type')]).toEqual([
          path,
          'application/json; charset=utf-8',
        ]);
    } finally {
      await own.close();
    }
  });

  it('is JSON for a browser where the console is not built', async () => {
    const answer = await get('/nothing', BROWSER, without);
    expect([answer?.status, answer?.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
  });

  it('is not shown for a method that changes something', async () => {
    for (const path of ['/', '/projects'])
      expect((await fetch(service.url + path, { method: 'POST' })).status).toBe(404);
  });
});

describe('a service without a built console', () => {
  it('redirects the root to the page of the API, and says at the other paths what to run', async () => {
    const root = await get('/', {}, without);
    expect([root?.status, root?.headers.get('location')]).toEqual([303, '/docs']);
    // Without it, a client would wait until the connection is closed.
    expect(root?.headers.get('content-length')).toBe('0');
    for (const path of ['/projects', '/projects/shop', '/login']) {
      const answer = await get(path, {}, without);
      expect(answer?.status).toBe(404);
      expect(String(answer?.body)).toContain('npm run build');
    }
    expect((await get(ASSET, {}, without))?.status).toBe(404);
  });

  it('serves the console as soon as it is built', async () => {
    const options: { consoleFolder?: string } = {};
    const early = await startTestService(options);
    try {
      expect((await get('/', {}, early))?.status).toBe(303);
      options.consoleFolder = built.folder;
      expect((await get('/', {}, early))?.status).toBe(200);
      expect((await get(ASSET, {}, early))?.status).toBe(200);
    } finally {
      await early.close();
    }
  });

  it('starts also if the files cannot be read, and logs why', async () => {
    const errors: unknown[] = [];
    const logger: Logger = { ...silentLogger, error: (details: unknown) => errors.push(details) };
    const broken = await startTestService({ consoleFolder: `${built.folder}nothing/`, logger });
    expect((await get('/', {}, broken))?.status).toBe(303);
    expect(errors).toEqual([{ err: expect.objectContaining({ code: 'ENOENT' }) }]);
    await broken.close();
  });

  it('is also a relay', async () => {
    const relay = await startTestRelay(service.url, { tokens: [CLIENT_TOKEN] });
    for (const path of ['/', '/projects', ASSET]) expect((await fetch(relay.url + path)).status).toBe(404);
    await relay.close();
  });
});
