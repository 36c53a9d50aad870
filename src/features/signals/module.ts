import { feature } from '../feature-module.ts';
import { TOKENS } from '../shared/never-undone.ts';
import { actionRuns, actionSets } from './actions/action-set.ts';
import { signalEndpoints, signals } from './endpoints/signal-endpoint.ts';
import { SIGNAL_LIMITS } from './limits.ts';

/** Why their changes are not undone. */
const ACTION_SETS = 'the history does not record action sets. Create or change the action set again.';
const SIGNALS =
  'the history does not record signal endpoints, because they have tokens. Create or change the endpoint again.';

/** Signals of monitors, and the actions that follow them. The audit log has the changes of actions, with the signal as their reason. */
export const signalsFeature = feature({
  name: 'signals',
  collections: { signalEndpoints, signals, actionSets, actionRuns },
  shown: {
    signalEndpoints: { type: 'signal-endpoint', named: ({ id }) => ({ id }) },
    signals: null,
    actionSets: { type: 'action-set', named: ({ id, project }) => ({ id, project }) },
    actionRuns: null,
  },
  events: {
    'signal-endpoint-created': ['Signal endpoint created', 'created the signal endpoint {what}', SIGNALS],
    'signal-endpoint-updated': ['Signal endpoint changed', 'changed the signal endpoint {what}', SIGNALS],
    'signal-endpoint-deleted': ['Signal endpoint deleted', 'deleted the signal endpoint {what}', SIGNALS],
    'signal-endpoint-token-created': ['Signal token created', 'created the signal token {what}', TOKENS],
    'signal-endpoint-token-updated': ['Signal token changed', 'changed the signal token {what}', SIGNALS],
    'signal-endpoint-token-deleted': ['Signal token deleted', 'deleted the signal token {what}', TOKENS],
    'actions-created': ['Actions created', 'created the actions {what}{in}', ACTION_SETS],
    'actions-updated': ['Actions changed', 'changed the actions {what}{in}', ACTION_SETS],
    'actions-deleted': ['Actions deleted', 'deleted the actions {what}{in}', ACTION_SETS],
  },
  limits: SIGNAL_LIMITS,
  whenRemoved: async () => (await import('./when-removed.ts')).whenRemoved,
  parts: async () => (await import('./parts.ts')).signalParts,
  http: async () => (await import('./http.ts')).http,
});
