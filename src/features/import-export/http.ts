import type { FeatureHttp } from '../feature-module.ts';
import { takeOverEndpoints } from './instance/routes.ts';

export const http: FeatureHttp = {
  endpoints: [...takeOverEndpoints],
  glossary: {
    'takeOver.strategyTypes': 'Custom strategies',
    'takeOver.segmentNames': 'Names of the segments that strategies of the request use',
    'takeOver.defaultStrategies': 'The strategies for flags that are switched on without one',
    'takeOver.defaultStrategies.strategy': 'The strategy',
    'takeOver.featureTypes': 'How long flags of each type are expected to be needed',
    'takeOver.frontendOrigins': 'Origins whose pages may call the frontend API',
    'takeOver.banners': 'Messages to all users; the same message is the same banner',
    'takeOver.favorites': 'Favourites of users of this instance',
  },
  examples: { takeOver: { features: [] } },
};
