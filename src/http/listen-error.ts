import { createServer } from 'node:net';

/** The port cannot be used. The message is for operators. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

const CAUSES: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (_host, port) =>
    `it is in use. Another process listens there; end it, or set HTTP_PORT (to see which: ss -ltnp 'sport = :${port}')`,
  EACCES: () => 'this process may not take it. Ports below 1024 are for root; set HTTP_PORT to a higher one',
  EADDRNOTAVAIL: (host) =>
    `this machine has no address ${host}. Set HTTP_HOST to one of its own, or leave it empty for all of them`,
  ENOTFOUND: (host) =>
    `${host} is no name or address that this machine knows. Set HTTP_HOST to one of its own addresses`,
};
const SAME_CAUSE: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'ENOTFOUND',
  EPERM: 'EACCES',
  EINVAL: 'EADDRNOTAVAIL',
};

/** uWS reports only that it could not listen. This tries the same with Node's server, which reports the reason. */
export async function listenError(host: string, port: number): Promise<ListenError> {
  const code = await failureCode(host, port);
  const cause =
    CAUSES[SAME_CAUSE[code] ?? code]?.(host, port) ?? `it could not be had${code === '' ? '' : ` (${code})`}`;
  return new ListenError(`cannot listen on ${host === '' ? 'any address' : host}, port ${port}: ${cause}`);
}

function failureCode(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    server.listen({ port, exclusive: true, ...(host === '' ? {} : { host }) }, () => server.close(() => resolve('')));
  });
}
