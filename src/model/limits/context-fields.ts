import { limit } from '../limits.ts';

export const CONTEXT_FIELD_LIMITS = {
  contextFields: limit('context fields', 500, 5_000, 'CONTEXT_FIELDS_LIMIT', { counts: 'contextFields' }),
  legalValues: limit('legal values of a context field', 1_000, 10_000, 'LEGAL_VALUES_LIMIT'),
  contextFieldBytes: limit('bytes of a context field', 250_000, 1_000_000, 'CONTEXT_FIELD_BYTES_LIMIT'),
};
