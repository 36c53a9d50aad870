import type { Examples } from '../../http/examples.ts';

/** Example values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
  evaluateContexts: { contexts: [{ userId: '1', properties: { country: 'NO' } }, { userId: '2' }] },
  'evaluateContexts.text': '{"userId":"1","properties":{"country":"NO"}}\n{"userId":"2"}\n',
};
