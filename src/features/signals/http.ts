import type { FeatureHttp } from '../feature-module.ts';
import { actionSetEndpoints } from './actions/routes.ts';
import { signalEndpointEndpoints } from './endpoints/routes.ts';

const ENDPOINT = { name: 'alertmanager', description: 'Alerts of the production cluster', enabled: true };

const ACTION_SET = {
  ...{ name: 'Checkout off after errors', enabled: true, actorId: 3 },
  match: {
    ...{ source: 'signal-endpoint', sourceId: 2 },
    payload: {
      status: { operator: 'IN', values: ['firing'] },
      'commonLabels.alertname': { operator: 'IN', values: ['CheckoutErrors'] },
    },
  },
  actions: [
    {
      action: 'TOGGLE_FEATURE_OFF',
      executionParams: { environment: 'development', featureName: 'checkout.new' },
    },
  ],
};

export const http: FeatureHttp = {
  endpoints: [...signalEndpointEndpoints, ...actionSetEndpoints],
  glossary: {},
  examples: {
    createSignalEndpoint: { ...ENDPOINT, name: 'datadog' },
    updateSignalEndpoint: ENDPOINT,
    createSignalEndpointToken: { name: 'cluster' },
    updateSignalEndpointToken: { name: 'cluster-2' },
    'updateSignalEndpointToken.tokenId': 1,
    'deleteSignalEndpointToken.tokenId': 1,
    'sendSignal.name': 'alertmanager',
    sendSignal: { status: 'firing', commonLabels: { alertname: 'CheckoutErrors' } },
    createActionSet: ACTION_SET,
    updateActionSet: ACTION_SET,
  },
};
