import type { FeatureHttp } from '../feature-module.ts';
import { historyEndpoints } from './routes.ts';
import { undoEndpoints } from './undo-routes.ts';

export const http: FeatureHttp = {
  endpoints: [...historyEndpoints, ...undoEndpoints],
  glossary: {},
  examples: {
    undoRevision: {},
    'undoRevision.revision': 4_711,
    'getEnvironmentHistory.name': 'development',
    'getHistoryDifference.from': '2026-11-01T00:00:00Z',
  },
};
