import { endpointsOf } from '../http/endpoint.ts';
import type { Services } from './services.ts';

/**
 * `routesOf` states the routes of a tag with their handlers. `prepared` states a route that answers with prepared bytes, `streamed` a route that
 * reads its body and writes its answer piece by piece, and `subscribed` a route that sends changes until the client disconnects.
 */
export const { routesOf, prepared, streamed, subscribed } = endpointsOf<Services>();
