import type { FeatureHttp } from '../feature-module.ts';
import { actionSetEndpoints } from './actions/routes.ts';
import { signalEndpointEndpoints } from './endpoints/routes.ts';

const ENDPOINT = { name: 'alertmanager', description: 'Alerts of the production cluster', enabled: true };

const ACTION_SET = {
  name: 'Checkout off after errors',
  enabled: true,
  actorId: 3,
  match: {
    source: 'signal-endpoint',
    sourceId: 2,
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
  glossary: {
    executionParams: 'The flag that is switched, and the environment',
    'actionOutcome.action': 'What happens to the flag or to its release plan',
    'actionSetCreateUpdateSchema.match': 'The signals that start the actions',
    'actionSetCreateUpdateSchema.match.source': 'The kind of source',
    'actionSetCreateUpdateSchema.actions': 'The actions, of which each concerns one flag in one environment',
    'actionSetEventSchema.actionSetId': 'Id of the action set',
    'actionSetEventSchema.signalId': 'Id of the signal that started the actions',
    'actionSetEventSchema.state':
      '`started`: actions wait. `success`: all actions were made. `failed`: an action failed, or none was started',
    'actionSetSchema.match': 'The signals that start the actions',
    'actionSetSchema.match.source': 'The kind of source',
    'actionSetSchema.match.sourceId': 'Id of the signal endpoint',
    'signalEndpointSignalSchema.bytes': 'Size of the signal as JSON, in bytes',
    'signalEndpointSignalSchema.source': 'The kind of source',
    'signalExecutionSchema.actionSetId': 'Id of the action set',
    'signalExecutionSchema.state':
      '`started`: actions wait. `success`: all actions were made. `failed`: an action failed, or none was started',
    'signalFilter.caseInsensitive': 'Whether upper and lower case are treated as equal',
  },
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
