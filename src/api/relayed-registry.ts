import type { AnyEndpoint } from '../http/endpoint.ts';
import { deltaEndpoints } from './client/delta.ts';
import { evaluateEndpoints } from './client/evaluate.ts';
import { clientFeatureEndpoints } from './client/features.ts';
import { streamingEndpoints } from './client/streaming.ts';
import { frontendFeatureEndpoints } from './frontend/features.ts';
import { frontendStreamingEndpoints } from './frontend/streaming.ts';
import { ofrepConfigurationEndpoints } from './ofrep/configuration.ts';
import { ofrepEvaluationEndpoints } from './ofrep/evaluate.ts';
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
