import { feature } from '../feature-module.ts';
import { actionRuns, actionSets } from './actions/action-set.ts';
import { signalEndpoints, signals } from './endpoints/signal-endpoint.ts';
import { SIGNAL_LIMITS } from './limits.ts';

/** Signals of monitors, and the actions that follow them. The audit log has the changes of actions, with the signal as their reason. */
export const signalsFeature = feature({
  name: 'signals',
  collections: { signalEndpoints, signals, actionSets, actionRuns },
  events: {
    'signal-endpoint-created': ['Signal endpoint created', 'created the signal endpoint {what}'],
    'signal-endpoint-updated': ['Signal endpoint changed', 'changed the signal endpoint {what}'],
    'signal-endpoint-deleted': ['Signal endpoint deleted', 'deleted the signal endpoint {what}'],
    'signal-endpoint-token-created': ['Signal token created', 'created the signal token {what}'],
    'signal-endpoint-token-updated': ['Signal token changed', 'changed the signal token {what}'],
    'signal-endpoint-token-deleted': ['Signal token deleted', 'deleted the signal token {what}'],
    'actions-created': ['Actions created', 'created the actions {what}{in}'],
    'actions-updated': ['Actions changed', 'changed the actions {what}{in}'],
    'actions-deleted': ['Actions deleted', 'deleted the actions {what}{in}'],
  },
  limits: SIGNAL_LIMITS,
  whenRemoved: async () => (await import('./when-removed.ts')).whenRemoved,
  parts: async () => (await import('./parts.ts')).signalParts,
  http: async () => (await import('./http.ts')).http,
});
