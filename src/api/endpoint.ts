import { endpointsOf } from '../http/endpoint.ts';
import type { Services } from './services.ts';

/** `endpoint` states a route with its handler; `prepared` one that answers with bytes that were ready. */
export const { endpoint, prepared } = endpointsOf<Services>();
