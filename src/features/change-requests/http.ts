import type { FeatureHttp } from '../feature-module.ts';
import { changeRequestListEndpoints } from './list-routes.ts';
import { changeRequestEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...changeRequestListEndpoints, ...changeRequestEndpoints],
  examples: {
    addChangeRequestReviewers: { reviewers: [1] },
    'addChangeRequestComment.text': 'Looks right to me.',
    createChangeRequest: { action: 'updateEnabled', feature: 'checkout.new', payload: { enabled: true } },
    'createChangeRequest.environment': 'production',
    editChange: { action: 'updateEnabled', feature: 'checkout.new', payload: { enabled: false } },
    changeChangeRequestState: { state: 'In review' },
  },
};
