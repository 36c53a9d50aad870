import { fixed, limit } from '../../model/limits.ts';

export const SIGNAL_LIMITS = {
  signalEndpoints: limit('signal endpoints', 20, 100, 'UNLEASH_SIGNAL_ENDPOINTS_LIMIT', { counts: 'signalEndpoints' }),
  signalTokensPerEndpoint: limit('tokens of a signal endpoint', 5, 20, 'UNLEASH_SIGNAL_TOKENS_PER_ENDPOINT_LIMIT'),
  signalBytes: fixed('bytes of a signal, as JSON', 100_000),
  /** Larger signals are handled, and listed without their content. */
  signalBytesKept: fixed('bytes of a signal whose content is listed', 8_000),
  signalsKept: fixed('signals that a signal endpoint lists', 100),
  signalsPerMinute: fixed('signals of a signal endpoint in a minute', 60),
  actionSets: limit('action sets of all projects', 500, 2_000, 'ACTION_SETS_LIMIT', { counts: 'actionSets' }),
  actionSetsPerProject: limit('action sets of a project', 20, 100, 'UNLEASH_ACTION_SETS_PER_PROJECT_LIMIT'),
  actionSetActions: limit('actions of an action set', 10, 20, 'UNLEASH_ACTION_SET_ACTIONS_LIMIT'),
  actionSetFilters: limit('filters of an action set', 5, 20, 'UNLEASH_ACTION_SET_FILTERS_LIMIT'),
  actionSetFilterValues: limit(
    'values of a filter of an action set',
    25,
    100,
    'UNLEASH_ACTION_SET_FILTER_VALUES_LIMIT',
  ),
  actionFilterPathLength: fixed('characters of the path of a filter', 100),
  actionFilterValueLength: fixed('characters of a value of a filter', 500),
  /** Each signal is compared with the filters of all of them. */
  actionSetsOfEndpoint: fixed('action sets of a signal endpoint', 50),
  actionRunsKept: fixed('executions that an action set lists', 50),
  actionRunsPerMinute: fixed('executions of an action set in a minute, and executions of it that wait', 10),
  /** A loop, such as two action sets that switch a flag on and off in turns, ends here. */
  actionSwitches: fixed('times that actions switch a flag in an environment in ten minutes', 6),
};
