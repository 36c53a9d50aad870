import type { Examples } from '../../http/examples.ts';
import type { Glossary } from '../../http/field-descriptions.ts';

/** Descriptions of request and response fields of this feature whose schema has none. */
export const glossary: Glossary = {
  'takeOver.strategyTypes': 'Custom strategies',
  'takeOver.segmentNames': 'Names of the segments that strategies of the request use, with their ids in the source',
  'takeOver.defaultStrategies': 'The strategies that flags without strategies get when they are switched on',
  'takeOver.defaultStrategies.strategy': 'The strategy',
  'takeOver.featureTypes': 'How long flags of each type are expected to be needed',
  'takeOver.frontendOrigins': 'Origins whose pages may call the frontend API',
  'takeOver.banners': 'Messages to all users; an existing banner with the same message is replaced',
  'takeOver.favorites': 'Favourites of users of this instance',
};

/** Values of this feature's parameters and bodies, for the OpenAPI document. */
export const examples: Examples = {
  takeOver: { features: [] },
};
