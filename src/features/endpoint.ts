import { endpointsOf } from '../http/endpoint.ts';
import type { Services } from './services.ts';
import { withTags } from './shared/entity-tag-routes.ts';
import type { EditedKind } from './shared/entity-tags.ts';

/**
 * Functions that state routes. `routesOf` states the routes of an OpenAPI tag with their handlers. `prepared` states a route that answers with bytes
 * that existed before the request, `streamed` a route that reads its body and writes its answer piece by piece, and `subscribed` a route that sends
 * changes until the client disconnects.
 */
export const { routesOf, prepared, streamed, subscribed } = endpointsOf<Services, EditedKind>(withTags);
