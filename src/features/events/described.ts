import type { Glossary } from '../../http/described.ts';

/** What fields of this feature's requests and answers mean, where their schema does not say so. */
export const glossary: Glossary = {
  'event.createdAt': 'When it happened',
  'event.type': 'What happened',
  'event.environment': 'Environment it happened in; null when it is of none',
  'event.featureName': 'Flag it happened to; null when it is of none',
  'event.project': 'Project it happened in; null when it is of none',
  'event.createdBy': 'Name of who caused it, as it was then',
  'event.tags': 'Tags of the flag at that time; null when there is none',
  'event.version': 'Version of the format',
};
