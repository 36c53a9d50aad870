import type { FeatureHttp } from '../feature-module.ts';
import { ofrepConfigurationEndpoints } from './configuration-routes.ts';
import { ofrepPushEndpoints } from './push-routes.ts';
import { ofrepEvaluationEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...ofrepConfigurationEndpoints, ...ofrepEvaluationEndpoints, ...ofrepPushEndpoints],
};
