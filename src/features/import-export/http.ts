import type { FeatureHttp } from '../feature-module.ts';
import { instanceImportEndpoints } from './instance/routes.ts';
import { importExportEndpoints } from './routes.ts';

export const http: FeatureHttp = {
  endpoints: [...importExportEndpoints, ...instanceImportEndpoints],
  glossary: {
    'exportQuery.project': 'Id of the project whose flags are exported',
    'importFeatures.data': 'The export, as it was returned',
    'importFeatures.environment': 'Name of the environment that gets the imported configuration',
    'importFeatures.project': 'Id of the project that gets the imported flags',
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
  examples: {
    importFeatures: {
      project: 'default',
      environment: 'development',
      data: {
        features: [{ name: 'search.new', type: 'release', project: 'default' }],
        featureStrategies: [{ featureName: 'search.new', name: 'default', parameters: {}, constraints: [] }],
      },
    },
    validateImport: {
      project: 'default',
      environment: 'development',
      data: {
        features: [{ name: 'search.new', type: 'release', project: 'default' }],
        featureStrategies: [{ featureName: 'search.new', name: 'default', parameters: {}, constraints: [] }],
      },
    },
    takeOver: { features: [] },
  },
};
