import type { AnyEndpoint } from '../http/endpoint.ts';
import { evaluateEndpoints } from './bulk/routes.ts';
import { deltaEndpoints } from './client/delta-routes.ts';
import { clientFeatureEndpoints } from './client/list-routes.ts';
import { streamingEndpoints } from './client/streaming-routes.ts';
import { frontendFeatureEndpoints } from './frontend/routes.ts';
import { frontendStreamingEndpoints } from './frontend/streaming-routes.ts';
import { ofrepConfigurationEndpoints } from './ofrep/configuration-routes.ts';
import { ofrepEvaluationEndpoints } from './ofrep/routes.ts';
import type { Services } from './services.ts';

/** What SDKs ask of a service whose flags are not its own: all that they ask of any. There is no admin API: nothing can be changed there. */
export const readEndpoints: readonly AnyEndpoint<Services>[] = [
  ...clientFeatureEndpoints,
  ...deltaEndpoints,
  ...streamingEndpoints,
  ...evaluateEndpoints,
  ...frontendFeatureEndpoints,
  ...frontendStreamingEndpoints,
  ...ofrepEvaluationEndpoints,
  ...ofrepConfigurationEndpoints,
];
