import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import type { Front, RouteMethod, Serve, TlsFiles } from '../front.ts';
import { listenError } from '../listen-error.ts';
import { RouteTable } from '../route-table.ts';
import { FastRequest } from './fast-request.ts';
import { FastResponse } from './fast-response.ts';
import { loadUws } from './uws.ts';

/** What a route of uWS calls. uWS never frees its routes: they hold only this, and `close` empties it, so that a closed server can be collected. */
interface Route {
  serve: Serve;
}

const serveNothing: Serve = () => {};

/** A front on uWebSockets.js. With TLS, the caller must have checked the files, because uWS does not report why it cannot use one. */
export class FastFront implements Front {
  readonly #app: TemplatedApp;
  readonly #request = new FastRequest();
  /** All routes, for requests that match none of `#app`. */
  #routes = new RouteTable();
  readonly #registered: Route[] = [];
  #listenSocket: us_listen_socket | undefined;

  constructor(tls: TlsFiles | undefined) {
    const uws = loadUws();
    this.#app = tls ? uws.SSLApp({ key_file_name: tls.keyFile, cert_file_name: tls.certificateFile }) : uws.App();
  }

  route(method: RouteMethod, pattern: string, serve: Serve): void {
    const register = method === 'delete' ? this.#app.del : this.#app[method];
    const request = this.#request;
    this.#routes.add(method, pattern, serve);
    if (isRare(method, pattern)) return;
    const route = { serve };
    this.#registered.push(route);
    if (method !== 'any') {
      register.call(this.#app, pattern, (raw, rawRequest) =>
        route.serve(new FastResponse(raw), request.of(rawRequest)),
      );
      return;
    }
    register.call(this.#app, pattern, (raw, rawRequest) => {
      request.of(rawRequest);
      const match = this.#routes.find(rawRequest.getCaseSensitiveMethod(), request.getUrl());
      if (match) match.serve(new FastResponse(raw), request.matchedBy(match));
      else route.serve(new FastResponse(raw), request);
    });
  }

  listen(host: string, port: number, sharePort: boolean): Promise<number> {
    const uws = loadUws();
    return new Promise((resolve, reject) => {
      // The listen option exists in every uWS that `uwebsockets` ships, but not in its types.
      const { LIBUS_LISTEN_EXCLUSIVE_PORT } = uws as unknown as { LIBUS_LISTEN_EXCLUSIVE_PORT: number };
      const listen = this.#app.listen as unknown as (...args: readonly unknown[]) => void;
      const onListening = (socket: us_listen_socket | false) => {
        if (!socket) return void listenError(host, port).then(reject);
        this.#listenSocket = socket;
        const boundPort = uws.us_socket_local_port(socket);
        if (port === 0 || boundPort === port) resolve(boundPort);
        else reject(new Error(`uWebSockets.js listens on port ${boundPort} instead of the requested port ${port}`));
      };
      listen.call(this.#app, ...listenArguments(host, port, sharePort ? 0 : LIBUS_LISTEN_EXCLUSIVE_PORT), onListening);
    });
  }

  stopListening(): void {
    if (this.#listenSocket) loadUws().us_listen_socket_close(this.#listenSocket);
    this.#listenSocket = undefined;
  }

  async close(): Promise<void> {
    this.#app.close();
    for (const route of this.#registered.splice(0)) route.serve = serveNothing;
    this.#routes = new RouteTable();
  }
}

/**
 * Whether few requests have this form of a path: `HEAD`, or a slash at its end. uWS does not get these routes, which are three of four: each costs time at
 * the start, and memory that is never freed. The route table finds them.
 */
function isRare(method: RouteMethod, pattern: string): boolean {
  return method === 'head' || (pattern.endsWith('/') && pattern !== '/');
}

/** The arguments of uWS's `listen`. To listen on all addresses, pass no host: with an empty host, uWS chooses a random port instead of the requested one. */
export function listenArguments(host: string, port: number, option: number): readonly unknown[] {
  return host === '' ? [port, option] : [host, port, option];
}
