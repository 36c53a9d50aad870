import { fixed, limit } from '../../model/limits.ts';

export const RELEASE_PLAN_LIMITS = {
  releaseTemplates: limit('release templates', 100, 500, 'UNLEASH_RELEASE_TEMPLATES_LIMIT', {
    counts: 'releasePlanTemplates',
  }),
  releaseTemplateMilestones: limit('milestones of a release template', 10, 30, 'RELEASE_TEMPLATE_MILESTONES_LIMIT'),
  milestoneStrategies: limit('strategies of a milestone', 10, 30, 'MILESTONE_STRATEGIES_LIMIT'),
  releaseTemplateBytes: fixed('bytes of a release template, as JSON', 100_000),
  /** Counts the plans of a flag in several environments one by one. The service looks at all plans that it must continue whenever one of them changes. */
  releasePlans: limit('release plans of all flags', 1_000, 10_000, 'RELEASE_PLANS_LIMIT'),
  releasePlansOfEnvironment: fixed('release plans of a flag in one environment', 1),
  /** Each replica compares their safeguards every minute, and keeps up to 60 samples of each. */
  guardedReleasePlans: limit(
    'release plans with safeguards, and flags with safeguards of their own in an environment',
    ...([200, 1_000, 'GUARDED_RELEASE_PLANS_LIMIT'] as const),
  ),
  planSafeguards: fixed('safeguards of a release plan, or of a flag in an environment', 5),
  /** Each replica sends the queries to Prometheus every minute. */
  querySafeguards: limit('safeguards with a query', 50, 200, 'QUERY_SAFEGUARDS_LIMIT'),
};
