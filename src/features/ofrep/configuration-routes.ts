import { includesEtag } from '../../base/etag.ts';
import { routesOf } from '../endpoint.ts';
import { OFREP_ACCESS, ofrepErrorFields } from './protocol.ts';
import { ProviderConfiguration } from './schemas.ts';

const route = routesOf('OpenFeature');

/**
 * Minimum time between two requests of a client. It can be short, because a repeated request is answered without evaluation if no flag has changed.
 */
const POLLING_MS_MIN = 1_000;

const CONFIGURATION = {
  name: 'Burgee',
  capabilities: {
    cacheInvalidation: {
      polling: { enabled: true, minPollingIntervalMs: POLLING_MS_MIN, minPollingInterval: POLLING_MS_MIN },
    },
    flagEvaluation: { supportedTypes: ['boolean', 'string', 'int', 'float', 'object'], unsupportedTypes: [] },
    // Changes take effect immediately, so providers should not cache single evaluations.
    caching: { enabled: false },
  },
};

/** The ETag of CONFIGURATION. If you change CONFIGURATION, also change this value. */
const ETAG = 'W/"ofrep-1"';

const getOfrepConfiguration = route('GET /ofrep/v1/configuration', 'ofrepGetConfiguration', {
  access: OFREP_ACCESS,
  summary: 'What providers of the OpenFeature Remote Evaluation Protocol may request, and how often',
  responses: {
    200: {
      description: 'The configuration',
      schema: ProviderConfiguration,
      headers: { ETag: 'Identifies this configuration' },
    },
    304: { description: 'The client already has this configuration' },
  },
  errorFields: ofrepErrorFields,
  handle({ header }) {
    const headers = { etag: ETAG };
    if (includesEtag(header('if-none-match') ?? '', ETAG)) return { status: 304, headers };
    return { status: 200, headers, body: CONFIGURATION };
  },
});

export const ofrepConfigurationEndpoints = [getOfrepConfiguration];
