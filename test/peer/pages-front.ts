import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Whether Burgee answers the request; all other requests are for the pages of Unleash. Both have `/logout`: GET is for the page. */
function isOfApi(method: string, path: string): boolean {
  if (path === '/logout') return method === 'POST';
  return /^\/(api|auth|invite)\//.test(path);
}

/** The pages of a running Unleash in front of the API of Burgee: one origin for both. */
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
