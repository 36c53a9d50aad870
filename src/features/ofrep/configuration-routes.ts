import { namesTag } from '../../base/entity-tag.ts';
import { routesOf } from '../endpoint.ts';
import { OFREP_ACCESS, ofrepErrorFields } from './protocol.ts';
import { ProviderConfiguration } from './schemas.ts';

const route = routesOf('OpenFeature');

/** Whoever asks again has an answer without evaluation, as long as nothing has changed: that may be often. */
const POLLING_MS_MIN = 1_000;

const CONFIGURATION = {
  name: 'Burgee',
  capabilities: {
    cacheInvalidation: {
      polling: { enabled: true, minPollingIntervalMs: POLLING_MS_MIN, minPollingInterval: POLLING_MS_MIN },
    },
    flagEvaluation: { supportedTypes: ['boolean', 'string', 'int', 'float', 'object'], unsupportedTypes: [] },
    // Changes are seen at once: nobody should keep what one evaluation said.
    caching: { enabled: false },
  },
};

/** Changes with what is above. */
const ETAG = 'W/"ofrep-1"';

const getOfrepConfiguration = route('GET /ofrep/v1/configuration', {
  operationId: 'ofrepGetConfiguration',
  access: OFREP_ACCESS,
  summary: 'What providers of the OpenFeature Remote Evaluation Protocol may ask for, and how often',
  responses: {
    200: {
      description: 'The configuration',
      schema: ProviderConfiguration,
      headers: { ETag: 'Tells this configuration from any other' },
    },
    304: { description: 'The caller has this configuration already' },
  },
  errorFields: ofrepErrorFields,
  handle({ header }) {
    const headers = { etag: ETAG };
    if (namesTag(header('if-none-match') ?? '', ETAG)) return { status: 304, headers };
    return { status: 200, headers, body: CONFIGURATION };
  },
});

export const ofrepConfigurationEndpoints = [getOfrepConfiguration];
