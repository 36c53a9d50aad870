import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What Burgee answers; everything else are Unleash's pages. Both have a logout: the page of that name is asked for with GET. */
function isOfApi(method: string, path: string): boolean {
  if (path === '/logout') return method === 'POST';
  return /^\/(api|auth)\//.test(path);
}

/** Unleash's own pages, as a running Unleash serves them, in front of Burgee's API: one origin for both. */
export async function pagesInFrontOf(burgeeUrl: string, unleashUrl: string) {
  const server = createServer((asked, answer) => {
    const { method = 'GET', url = '/', headers } = asked;
    const to = new URL(isOfApi(method, new URL(url, burgeeUrl).pathname) ? burgeeUrl : unleashUrl);
    const passed = request({ hostname: to.hostname, port: to.port, method, path: url, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    passed.once('error', () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
