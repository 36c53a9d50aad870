import { createServer } from 'node:net';

/** The port cannot be used. The message is for operators. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

const CAUSES: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (_host, port) =>
    `the port is in use. Stop the process that listens on it (ss -ltnp 'sport = :${port}' shows which), or set HTTP_PORT to another port`,
  EACCES: () => 'this process may not use the port. Ports below 1024 need root; set HTTP_PORT to a higher port',
  EADDRNOTAVAIL: (host) =>
    `this machine has no address ${host}. Set HTTP_HOST to an address of this machine, or leave it empty to listen on all addresses`,
  ENOTFOUND: (host) => `the name ${host} cannot be resolved. Set HTTP_HOST to an address of this machine`,
};
const SAME_CAUSE: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'ENOTFOUND',
  EPERM: 'EACCES',
  EINVAL: 'EADDRNOTAVAIL',
};

/** Finds the reason why uWS could not listen, which uWS does not report: tries the same with Node's server, which reports it. */
export async function listenError(host: string, port: number): Promise<ListenError> {
  return listenErrorOf(await failureCode(host, port), host, port);
}

/** The error for a code of Node; "" if the code is not known. */
export function listenErrorOf(code: string, host: string, port: number): ListenError {
  const cause =
    CAUSES[SAME_CAUSE[code] ?? code]?.(host, port) ?? `the reason is not known${code === '' ? '' : ` (${code})`}`;
  return new ListenError(`cannot listen on ${host === '' ? 'any address' : host}, port ${port}: ${cause}`);
}

function failureCode(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    server.listen({ port, exclusive: true, ...(host === '' ? {} : { host }) }, () => server.close(() => resolve('')));
  });
}
