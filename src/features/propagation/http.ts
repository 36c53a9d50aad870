import type { FeatureHttp } from '../feature-module.ts';
import { propagationEndpoints } from './routes.ts';

export const http: FeatureHttp = { endpoints: propagationEndpoints };
