import type { FeatureHttp } from '../feature-module.ts';
import { instanceImportEndpoints } from './instance/routes.ts';

export const http: FeatureHttp = {
  endpoints: [...instanceImportEndpoints],
  glossary: {
    'takeOver.strategyTypes': 'Custom strategies',
    'takeOver.segmentNames': 'Names of the segments that strategies of the request use, with their ids in the source',
    'takeOver.defaultStrategies': 'The strategies that flags without strategies get when they are switched on',
    'takeOver.defaultStrategies.strategy': 'The strategy',
    'takeOver.featureTypes': 'How long flags of each type are expected to be needed',
    'takeOver.frontendOrigins': 'Origins whose pages may call the frontend API',
    'takeOver.banners': 'Messages to all users; an existing banner with the same message is replaced',
    'takeOver.addons':
      'Integrations. They are created switched off and without secrets; existing ones stay as they are',
    'takeOver.favorites': 'Favourites of users of this instance',
  },
  examples: { takeOver: { features: [] } },
};
