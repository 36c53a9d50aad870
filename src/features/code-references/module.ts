import { feature } from '../feature-module.ts';
import { codeReferences, codeRepositories } from './code-reference.ts';
import { CODE_REFERENCE_LIMITS } from './limits.ts';

/**
 * Where code uses flags, as `burgee find-flags` reports it. Reports of a known repository record no audit event, because pipelines send them with each
 * commit; the repository says who sent the last one.
 */
export const codeReferencesFeature = feature({
  name: 'code-references',
  collections: { codeRepositories, codeReferences },
  shown: {
    codeRepositories: { type: 'code-repository', named: ({ name }) => ({ id: name }) },
    // Each report changes its repository too.
    codeReferences: null,
  },
  events: {
    'code-repository-created': ['Repository added', 'sent the first code references of the repository {what}'],
    'code-repository-deleted': ['Repository removed', 'deleted the code references of the repository {what}'],
  },
  limits: CODE_REFERENCE_LIMITS,
  http: async () => (await import('./http.ts')).http,
});
