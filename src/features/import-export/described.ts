import type { Glossary } from '../../http/described.ts';
import type { Examples } from '../../http/examples.ts';

/** What fields of this feature's requests and answers mean, where their schema does not say so. */
export const glossary: Glossary = {
  'takeOver.strategyTypes': 'Custom strategies',
  'takeOver.segmentNames': 'Segments that strategies of the request name',
  'takeOver.defaultStrategies': 'What flags get that are switched on without a strategy',
  'takeOver.defaultStrategies.strategy': 'What they get',
  'takeOver.featureTypes': 'How long flags of each type are expected to be needed',
  'takeOver.frontendOrigins': 'Whose pages may call the frontend API',
  'takeOver.banners': 'What everybody is told; the same message is the same banner',
  'takeOver.favorites': 'What people who are here marked',
};

/** Values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
  takeOver: { features: [] },
};
