import type { Examples } from '../../http/examples.ts';

/** Values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
  addChangeRequestReviewers: { reviewers: [1] },
  'addChangeRequestComment.text': 'Looks right to me.',
  createChangeRequest: { action: 'updateEnabled', feature: 'checkout.new', payload: { enabled: true } },
  'createChangeRequest.environment': 'production',
  editChange: { action: 'updateEnabled', feature: 'checkout.new', payload: { enabled: false } },
  changeChangeRequestState: { state: 'In review' },
};
