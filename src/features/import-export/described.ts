import type { Glossary } from '../../http/described.ts';
import type { Examples } from '../../http/examples.ts';

/** Descriptions of request and response fields of this feature whose schema has none. */
export const glossary: Glossary = {
  'takeOver.strategyTypes': 'Custom strategies',
  'takeOver.segmentNames': 'Names of the segments that strategies of the request use',
  'takeOver.defaultStrategies': 'The strategies for flags that are switched on without one',
  'takeOver.defaultStrategies.strategy': 'The strategy',
  'takeOver.featureTypes': 'How long flags of each type are expected to be needed',
  'takeOver.frontendOrigins': 'Origins whose pages may call the frontend API',
  'takeOver.banners': 'Messages to all users; the same message is the same banner',
  'takeOver.favorites': 'Favourites of users of this instance',
};

/** Values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
  takeOver: { features: [] },
};
