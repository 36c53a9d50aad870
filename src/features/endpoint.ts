import { endpointsOf } from '../http/endpoint.ts';
import type { Services } from './services.ts';

/**
 * `endpoint` states a route with its handler; `prepared` one that answers with bytes that were ready; `streamed` one that
 * reads its body and writes its answer bit by bit; `subscribed` one that tells of changes until the caller leaves.
 */
export const { endpoint, prepared, streamed, subscribed } = endpointsOf<Services>();
