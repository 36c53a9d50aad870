import type { FeatureHttp } from '../feature-module.ts';
import { consoleEndpoints } from './routes.ts';

export const http: FeatureHttp = { endpoints: consoleEndpoints };
