import type { Static, TObject, TSchema } from 'typebox';
import { silentLogger } from '../../../src/base/logger.ts';
import { TrustedProxies } from '../../../src/base/network/trusted-proxies.ts';
import { Authenticator, type CredentialSource } from '../../../src/http/authentication.ts';
import { type AnyEndpoint, type Endpoint, endpointsOf, type HandlerRequest } from '../../../src/http/endpoint.ts';
import { HttpServer, type ServerOptions } from '../../../src/http/server.ts';
import type { Caller } from '../../../src/model/caller.ts';
import { State } from '../../../src/state/state.ts';
import { testFront } from './front.ts';

export const { routesOf, prepared, streamed } = endpointsOf<null>();

type StaticOr<T, Fallback> = T extends TSchema ? Static<T> : Fallback;

/** A complete definition of a route, without derived fields. */
export function endpoint<
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(
  spec: Omit<Endpoint<null>, 'kind' | 'bodyLimit' | 'params' | 'query' | 'body' | 'handle'> & {
    readonly params?: P;
    readonly query?: Q;
    readonly body?: B;
    readonly bodyLimit?: 'standard' | 'import';
    handle(
      request: HandlerRequest<StaticOr<P, object>, StaticOr<Q, object>, StaticOr<B, undefined>>,
    ): ReturnType<Endpoint<null>['handle']>;
  },
): Endpoint<null> {
  return { bodyLimit: 'standard', ...spec, kind: 'handled' } as unknown as Endpoint<null>;
}

export const CALLER: Caller = {
  kind: 'client',
  author: { id: 1, name: 'tester' },
  user: null,
  token: null,
  scope: { environment: '', projects: null },
  proof: null,
  grant: null,
  address: null,
  reason: null,
  edit: null,
};

export interface TestServer {
  readonly url: string;
  readonly server: HttpServer<null>;
  /** The errors that were logged: their messages and ids. */
  readonly errors: { readonly message: string; readonly id: unknown }[];
  /** What was logged at `debug`. */
  readonly requests: Record<string, unknown>[];
}

/**
 * A server with the test's own routes, so that handlers can do what none of Burgee's does. Every caller is a client, unless `credentials` identify the
 * caller.
 */
export async function startTestServer(
  endpoints: readonly AnyEndpoint<null>[],
  options: Partial<ServerOptions> = {},
  credentials?: CredentialSource,
): Promise<TestServer> {
  const errors: { message: string; id: unknown }[] = [];
  const requests: Record<string, unknown>[] = [];
  const logger = {
    ...silentLogger,
    info: (fields: Record<string, unknown>) => void requests.push(fields),
    error: (fields: { id?: unknown }, message: string) => void errors.push({ message, id: fields.id }),
  } as unknown as typeof silentLogger;
  const server = new HttpServer(
    endpoints,
    null,
    new Authenticator(credentials ?? { find: () => undefined }, {
      reader: new State(),
      anonymousClient: credentials ? null : CALLER,
    }),
    logger,
    {
      front: testFront(),
      host: '127.0.0.1',
      port: 0,
      sharePort: false,
      basePath: '',
      frontendOrigins: { current: ['*'] },
      proxies: new TrustedProxies([]),
      logRequests: false,
      bodyLimitBytes: 100_000,
      importBodyLimitBytes: 1_000_000,
      handlerDeadlineMs: 10_000,
      drainMs: 5_000,
      ...options,
    },
  );
  const port = await server.listen();
  return { url: `http://127.0.0.1:${port}`, server, errors, requests };
}
