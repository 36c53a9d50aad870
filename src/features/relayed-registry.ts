import type { AnyEndpoint } from '../http/endpoint.ts';
import { http as bulk } from './bulk/http.ts';
import { http as client } from './client/http.ts';
import { http as frontend } from './frontend/http.ts';
import { http as ofrep } from './ofrep/http.ts';
import type { Services } from './services.ts';

/** The routes for SDKs. A service that gets its flags from a source has these routes and no admin API: flags are changed only at the source. */
export const sdkEndpoints: readonly AnyEndpoint<Services>[] = [client, bulk, frontend, ofrep].flatMap(
  ({ endpoints }) => endpoints,
);
