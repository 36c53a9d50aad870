import { feature } from '../feature-module.ts';
import { RELEASE_PLAN_LIMITS } from './limits.ts';
import { releasePlanTemplates } from './templates/template.ts';

/** Why their changes are not undone. */
const RELEASE_TEMPLATES = 'the history does not record release templates. Create or change the template again.';

/** Release templates, and the plans of flags that are made of them: milestones, each with strategies. */
export const releasePlansFeature = feature({
  name: 'release-plans',
  exports: [
    'plans/at-environment.ts',
    'plans/commands.ts',
    'plans/safeguards.ts',
    'plans/schemas.ts',
    'plans/watched.ts',
    'templates/template.ts',
  ],
  collections: { releasePlanTemplates },
  shown: {
    releasePlanTemplates: { type: 'release-plan-template', named: ({ id, project }) => ({ id, project }) },
  },
  events: {
    'release-plan-template-created': [
      'Release template created',
      'created the release template {what}{in}',
      RELEASE_TEMPLATES,
    ],
    'release-plan-template-updated': [
      'Release template changed',
      'changed the release template {what}{in}',
      RELEASE_TEMPLATES,
    ],
    'release-plan-template-archived': [
      'Release template archived',
      'archived the release template {what}{in}',
      RELEASE_TEMPLATES,
    ],
    'release-plan-template-deleted': [
      'Release template deleted',
      'deleted the release template {what}{in}',
      RELEASE_TEMPLATES,
    ],
    'release-plan-added': ['Release plan added', 'added the release plan {what} to the flag {flag}{on}'],
    'release-plan-removed': ['Release plan removed', 'removed the release plan {what} from the flag {flag}{on}'],
    'release-plan-milestone-started': [
      'Milestone started',
      'started a milestone of the release plan {what} of the flag {flag}{on}',
    ],
    'release-plan-paused': ['Release plan paused', 'paused the release plan {what} of the flag {flag}{on}'],
    'release-plan-resumed': ['Release plan continued', 'continued the release plan {what} of the flag {flag}{on}'],
    'release-plan-progression-changed': [
      'Progression changed',
      'changed when the release plan {what} of the flag {flag} continues{on}',
    ],
    'release-plan-safeguard-changed': [
      'Safeguard changed',
      'changed a safeguard of the release plan {what} of the flag {flag}{on}',
    ],
    'release-plan-safeguard-removed': [
      'Safeguard removed',
      'removed a safeguard of the release plan {what} of the flag {flag}{on}',
    ],
  },
  limits: RELEASE_PLAN_LIMITS,
  whenRemoved: async () => (await import('./when-removed.ts')).whenRemoved,
  parts: async () => (await import('./parts.ts')).releasePlanParts,
  http: async () => (await import('./http.ts')).http,
});
