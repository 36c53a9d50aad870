import type { FeatureHttp } from '../feature-module.ts';
import { planEndpoints } from './plans/routes.ts';
import { templateEndpoints } from './templates/routes.ts';

const STRATEGY = {
  strategyName: 'flexibleRollout',
  title: 'Ten percent',
  parameters: { rollout: '10', stickiness: 'default' },
};

const MILESTONE = { name: 'Ten percent', strategies: [STRATEGY], transitionCondition: { intervalMinutes: 60 } };

const TEMPLATE = {
  name: 'Careful release',
  description: 'A tenth of all users first',
  milestones: [MILESTONE, { name: 'Everyone', strategies: [{ strategyName: 'default' }] }],
};

const PLAN = { templateId: '01KB2Q0ZJ6V9X3F5T8R1M4N7PC' };

/** Of the templates of all projects, and of those of one. */
const TEMPLATE_BODIES = {
  createReleasePlanTemplate: TEMPLATE,
  updateReleasePlanTemplate: TEMPLATE,
  addMilestoneToReleasePlanTemplate: MILESTONE,
  updateReleasePlanTemplateMilestone: MILESTONE,
  addStrategyToMilestone: STRATEGY,
  updateMilestoneStrategy: STRATEGY,
};

export const http: FeatureHttp = {
  endpoints: [...templateEndpoints, ...planEndpoints],
  glossary: {
    planId: 'Id of the release plan',
    milestoneId: 'Id of the milestone',
    safeguardId: 'Id of the safeguard',
    templateId: 'Id of the release template',
    transitionCondition: 'When the next milestone is started without a person; null: it is not',
    'safeguardSchema.metricName': 'Name of the impact metric',
    'safeguardSchema.labels': 'Label → the values of which a series must have one',
    'safeguardSchema.aggregation': 'How the value is computed from the reports',
    'safeguardSchema.threshold': 'The value that must be passed to trip the safeguard',
    'safeguardSchema.windowMinutes': 'Minutes before a comparison in which reports count',
    'safeguardSchema.action': '`pause` pauses the plan; `disable` also switches the flag off in the environment',
  },
  examples: {
    ...TEMPLATE_BODIES,
    ...Object.fromEntries(Object.entries(TEMPLATE_BODIES).map(([name, body]) => [`${name}OfProject`, body])),
    addReleasePlan: PLAN,
    addReleasePlanDeprecated: PLAN,
    pauseReleasePlan: { reason: 'Support reports slow pages' },
    'changeMilestoneProgression.id': '01KB2Q1DMD5B6H0S9J7E3X8K4V',
    'deleteMilestoneProgression.id': '01KB2Q1DMD5B6H0S9J7E3X8K4V',
    changeMilestoneProgression: { transitionCondition: { intervalMinutes: 1440 } },
    updateProjectMilestoneStrategy: { title: 'A quarter', parameters: { rollout: '25' } },
    changeSafeguard: {
      metricName: 'checkout_errors',
      aggregation: 'count',
      operator: '>',
      threshold: 20,
      windowMinutes: 10,
      labels: { service: ['checkout'] },
      action: 'pause',
    },
  },
};
