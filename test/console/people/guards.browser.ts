import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible } from '../support/axe.ts';
import { TestBrowser } from '../support/browser.ts';

const PAGES: Readonly<Record<string, string>> = {
  '/good': '<!doctype html><html lang="en"><title>Good</title><main><h1>Good</h1></main>',
  '/error': '<title>x</title><script src="/error.js"></script>',
  '/uncaught': '<title>x</title><script src="/uncaught.js"></script>',
  '/inline': '<title>x</title><script>document.title = "ran"</script>',
  '/style': '<title>x</title><p style="color: red">x</p>',
  '/other-host': '<title>x</title><img alt="" src="http://127.0.0.1:1/pixel.png">',
  '/missing': '<title>x</title><script src="/nothing.js"></script>',
  '/unlabelled': '<!doctype html><html lang="en"><title>x</title><main><h1>x</h1><button></button><input></main>',
};
const SCRIPTS: Readonly<Record<string, string>> = {
  '/error.js': 'console.error("an error")',
  '/uncaught.js': 'throw new Error("not caught")',
};

let server: Server;
let browser: TestBrowser;
let url: string;

beforeAll(async () => {
  server = createServer(({ url: path = '' }, answer) => {
    const text = PAGES[path] ?? SCRIPTS[path];
    const type = path in SCRIPTS ? 'text/javascript' : 'text/html';
    answer.writeHead(text === undefined && path !== '/favicon.ico' ? 404 : 200, {
      'content-type': type,
      'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'; img-src http:",
    });
    answer.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await TestBrowser.start();
});

afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  server.close();
});

const problemsOf = (path: string, ...allowed: readonly number[]) =>
  browser
    .open(url, path)
    .then((guarded) => {
      guarded.allow(...allowed);
      return browser.closePages();
    })
    .then(
      () => 'none',
      (error: Error) => error.message,
    );

describe('the guards of a page', () => {
  it('find nothing in a page without problems', async () => {
    expect(await problemsOf('/good')).toBe('none');
  });

  it.each([
    ['/error', 'an error'],
    ['/uncaught', 'not caught'],
    ['/inline', 'Content Security Policy'],
    ['/style', 'Content Security Policy'],
    ['/other-host', 'a request to another host'],
    ['/missing', 'status of 404'],
  ])('find the problem of %s', async (path, problem) => {
    expect(await problemsOf(path, 500)).toContain(problem);
  });

  it('report an element without a name', async () => {
    const guarded = await browser.open(url, '/unlabelled');
    await expect(expectAccessible(guarded.page, 'a page')).rejects.toThrow(/button-name/);
    await browser.closePages();
  });
});
