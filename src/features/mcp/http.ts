import type { FeatureHttp } from '../feature-module.ts';
import { mcpEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: mcpEndpoints,
  glossary: {},
  examples: { callMcp: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } },
};
