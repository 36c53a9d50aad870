import { endpointsOf } from '../http/endpoint.ts';
import type { Services } from './services.ts';

/**
 * `routesOf` states the routes of a tag with their handlers, `prepared` one that answers with bytes that were ready; `streamed` one that
 * reads its body and writes its answer bit by bit; `subscribed` one that tells of changes until the caller leaves.
 */
export const { routesOf, prepared, streamed, subscribed } = endpointsOf<Services>();
