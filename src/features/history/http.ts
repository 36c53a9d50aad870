import type { FeatureHttp } from '../feature-module.ts';
import { historyEndpoints } from './routes.ts';
import { undoEndpoints } from './undo-routes.ts';

export const http: FeatureHttp = {
  endpoints: [...historyEndpoints, ...undoEndpoints],
  glossary: {},
  examples: { undoRevision: {} },
};
