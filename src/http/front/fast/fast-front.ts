import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import type { Front, RouteMethod, Serve, TlsFiles } from '../front.ts';
import { listenError } from '../listen-error.ts';
import { RouteTable } from '../route-table.ts';
import { FastRequest } from './fast-request.ts';
import { FastResponse } from './fast-response.ts';
import { loadUws } from './uws.ts';

/** A front on uWebSockets.js. With TLS, the caller must have checked the files, because uWS does not report why it cannot use one. */
export class FastFront implements Front {
  readonly #app: TemplatedApp;
  readonly #request = new FastRequest();
  /** The same routes as in `#app`, for paths that uWS does not match as they were sent. */
  readonly #routes = new RouteTable();
  #listenSocket: us_listen_socket | undefined;

  constructor(tls: TlsFiles | undefined) {
    const uws = loadUws();
    this.#app = tls ? uws.SSLApp({ key_file_name: tls.keyFile, cert_file_name: tls.certificateFile }) : uws.App();
  }

  route(method: RouteMethod, pattern: string, serve: Serve): void {
    const register = method === 'delete' ? this.#app.del : this.#app[method];
    const request = this.#request;
    this.#routes.add(method, pattern, serve);
    if (method !== 'any') {
      register.call(this.#app, pattern, (raw, rawRequest) => serve(new FastResponse(raw), request.of(rawRequest)));
      return;
    }
    register.call(this.#app, pattern, (raw, rawRequest) => {
      request.of(rawRequest);
      const path = request.getUrl();
      const match = path.includes('//') ? this.#routes.find(rawRequest.getCaseSensitiveMethod(), path) : undefined;
      if (match) match.serve(new FastResponse(raw), request.matchedBy(match));
      else serve(new FastResponse(raw), request);
    });
  }

  listen(host: string, port: number, sharePort: boolean): Promise<number> {
    const uws = loadUws();
    return new Promise((resolve, reject) => {
      listenOn(this.#app, host, port, sharePort, (socket) => {
        if (!socket) return void listenError(host, port).then(reject);
        this.#listenSocket = socket;
        const boundPort = uws.us_socket_local_port(socket);
        if (port === 0 || boundPort === port) resolve(boundPort);
        else reject(new Error(`uWebSockets.js listens on port ${boundPort} instead of the requested port ${port}`));
      });
    });
  }

  stopListening(): void {
    if (this.#listenSocket) loadUws().us_listen_socket_close(this.#listenSocket);
    this.#listenSocket = undefined;
  }

  async close(): Promise<void> {
    this.#app.close();
  }
}

type Listening = (socket: us_listen_socket | false) => void;

/**
 * Listens on the port. The listen option exists in every uWS that `uwebsockets` ships, but not in its types. To listen on all addresses, pass no
 * host: with an empty host, uWS chooses a random port instead of the requested one.
 */
export function listenOn(
  app: Pick<TemplatedApp, 'listen'>,
  host: string,
  port: number,
  sharePort: boolean,
  onListening: Listening,
): void {
  const { LIBUS_LISTEN_EXCLUSIVE_PORT } = loadUws() as unknown as { LIBUS_LISTEN_EXCLUSIVE_PORT: number };
  const options = sharePort ? 0 : LIBUS_LISTEN_EXCLUSIVE_PORT;
  const listen = app.listen as unknown as (...args: readonly unknown[]) => void;
  const address = host === '' ? [port] : [host, port];
  listen.call(app, ...address, options, onListening);
}
