import type { AnyEndpoint } from '../http/endpoint.ts';
import { http as bulk } from './bulk/http.ts';
import { http as client } from './client/http.ts';
import { http as frontend } from './frontend/http.ts';
import { http as ofrep } from './ofrep/http.ts';
import type { Services } from './services.ts';

/** What SDKs ask of a service whose flags are not its own: all that they ask of any. There is no admin API: nothing can be changed there. */
export const readEndpoints: readonly AnyEndpoint<Services>[] = [client, bulk, frontend, ofrep].flatMap(
  ({ endpoints }) => endpoints,
);
