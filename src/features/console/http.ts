import type { FeatureHttp } from '../feature-module.ts';
import { consoleEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: consoleEndpoints,
  examples: { 'getConsoleAsset.file': 'index-AbCd1234.js' },
};
