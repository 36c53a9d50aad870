import { fixed, limit } from '../../model/limits.ts';

export const ADDON_LIMITS = {
  /** Each add-on has at most one request in progress, so this is also the maximum number of requests at the same time. */
  addons: limit('integrations (add-ons)', 50, 200, 'ADDONS_LIMIT', { counts: 'addons' }),
  addonEvents: fixed('types of events of an integration', 500),
  addonProjects: fixed('projects of an integration', 500),
  addonEnvironments: fixed('environments of an integration', 200),
  addonParameterLength: fixed('characters of a parameter of an integration', 10_000),
  /** To parse a template of this length takes up to 3 ms, for each message. */
  addonTemplateLength: fixed('characters of a template of an integration', 4_000),
  addonHeaders: fixed('additional headers of an integration', 50),
  addonChannels: fixed('channels to which one event is sent', 20),
  addonAttempts: fixed('attempts that an integration lists', 100),
  addonAttemptText: fixed('characters of the description of an attempt', 500),
  addonMessageBytes: fixed('bytes of a message of an integration', 250_000),
};
