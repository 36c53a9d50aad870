import { TEMPLATE } from '../support/release-plans.ts';
import type { CallOptions } from '../support/service.ts';
import type { Reference } from './reference-states.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read without types
type Any = any;

export interface ReferenceRequest {
  readonly name: string;
  readonly operationId: string;
  readonly options: (reference: Reference, before: ReadonlyMap<string, Any>) => CallOptions;
}

const projectId = 'default';
const [featureName, environment] = ['flag-1', 'development'];
const ofFlag = { projectId, featureName };
const ofEnvironment = { ...ofFlag, environment };
const context = { appName: 'web-shop', userId: '7', properties: { country: 'NO' } };

const ROLLOUT = {
  name: 'flexibleRollout',
  parameters: { rollout: '25', stickiness: 'default', groupId: featureName },
  constraints: [{ contextName: 'country', operator: 'IN', values: ['NO'] }],
};

/** A request with the same parameters on every state. */
const one = (name: string, operationId: string, options: CallOptions = {}): ReferenceRequest => ({
  name,
  operationId,
  options: () => options,
});

/** A request about at most 100 reference flags. */
const batch = (
  name: string,
  operationId: string,
  params: Readonly<Record<string, string>>,
  body: Readonly<Record<string, unknown>> = {},
): ReferenceRequest => ({
  name,
  operationId,
  options: ({ flags }) => ({ params, body: { features: flags.slice(0, 100), ...body } }),
});

/** A request about the strategy that "adds a strategy" made. */
const ofStrategy = (name: string, operationId: string, body?: unknown): ReferenceRequest => ({
  name,
  operationId,
  options: (_reference, before) => {
    const strategyId: string = before.get('adds a strategy').id;
    return { params: { ...ofEnvironment, strategyId }, ...(body !== undefined && { body }) };
  },
});

/** A request about the release plan that "adds a release plan" made, or its second milestone. */
const ofPlan = (name: string, operationId: string): ReferenceRequest => ({
  name,
  operationId,
  options: (_reference, before) => {
    const plan = before.get('adds a release plan');
    return { params: { ...ofEnvironment, planId: plan.id, milestoneId: plan.milestones[1].id } };
  },
});

const preview = {
  project: projectId,
  environment,
  changes: [{ action: 'updateEnabled', feature: featureName, payload: { enabled: false } }],
  contexts: { madeUp: { count: 20 } },
};

/** Requests about the flags of the reference states: long operations, and the writes that the examples cannot show. They run in this order. */
export const REFERENCE_REQUESTS: readonly ReferenceRequest[] = [
  one('the list of an SDK', 'getAllClientFeatures'),
  one('a delta', 'getDelta'),
  one('an evaluation for browsers', 'getFrontendFeatures', { query: 'userId=7&properties[country]=NO' }),
  one('a flag', 'getFeature', { params: ofFlag }),
  one('the flags of a project', 'getFeatures', { params: { projectId } }),
  one('the overview of a project', 'getProjectOverview', { params: { projectId } }),
  one('a page of the search', 'searchFeatures', { query: 'limit=100' }),
  one('a page of the search, by text', 'searchFeatures', { query: 'limit=100&query=flag-1&sortBy=createdAt' }),
  one('the history', 'getHistory'),
  one('events by text', 'searchEventsByQuery', { query: 'query=flag-1' }),
  one('the playground', 'getPlayground', { body: { environment, projects: '*', context } }),
  {
    name: 'the advanced playground',
    operationId: 'getAdvancedPlayground',
    options: ({ environments }) => ({ body: { environments: environments.slice(0, 3), projects: '*', context } }),
  },
  one('a preview', 'previewChanges', { body: preview }),
  one('a preview with 10,000 users', 'previewChanges', {
    body: { ...preview, contexts: { madeUp: { count: 10_000 } } },
  }),
  batch('an export', 'exportFeatures', {}, { environment }),
  one('a past state of the flags', 'getFeatures', { params: { projectId }, query: 'at=3' }),
  one('adds a strategy', 'addFeatureStrategy', { params: ofEnvironment, body: ROLLOUT }),
  one('the list of an SDK after a change', 'getAllClientFeatures'),
  ofStrategy('a strategy', 'getFeatureStrategy'),
  ofStrategy('replaces a strategy', 'updateFeatureStrategy', { ...ROLLOUT, title: 'A quarter' }),
  ofStrategy('patches a strategy', 'patchFeatureStrategy', [{ op: 'replace', path: '/title', value: 'Norway' }]),
  {
    name: 'sorts strategies',
    operationId: 'setStrategySortOrder',
    options: (_reference, before) => ({
      params: ofEnvironment,
      body: [{ id: before.get('adds a strategy').id, sortOrder: 0 }],
    }),
  },
  ofStrategy('deletes a strategy', 'deleteFeatureStrategy'),
  one('makes a release template', 'createReleasePlanTemplate', { body: TEMPLATE }),
  {
    name: 'adds a release plan',
    operationId: 'addReleasePlan',
    options: (_reference, before) => ({
      params: ofEnvironment,
      body: { templateId: before.get('makes a release template').id },
    }),
  },
  ofPlan('starts a milestone', 'startMilestone'),
  ofPlan('pauses a release plan', 'pauseReleasePlan'),
  ofPlan('resumes a release plan', 'resumeReleasePlan'),
  ofPlan('removes a release plan', 'removeReleasePlan'),
  one('adds a link', 'addFeatureLink', { params: ofFlag, body: { url: 'https://example.org/a' } }),
  one('switches a flag off', 'toggleFeatureEnvironmentOff', { params: ofEnvironment }),
  one('switches a flag on', 'toggleFeatureEnvironmentOn', { params: ofEnvironment }),
  one('copies a flag', 'cloneFeature', { params: ofFlag, body: { name: 'flag-1-copy', replaceGroupId: true } }),
  one('changes a segment that flags use', 'updateSegment', {
    params: { id: 1 },
    body: { name: 'swedes', constraints: [{ contextName: 'country', operator: 'IN', values: ['SE'] }] },
  }),
  batch('switches 100 flags off', 'bulkToggleFeaturesEnvironmentOff', { projectId, environment }),
  batch('switches 100 flags on', 'bulkToggleFeaturesEnvironmentOn', { projectId, environment }),
  batch('marks 100 flags as stale', 'staleFeatures', { projectId }, { stale: true }),
  batch('marks 100 flags as not stale', 'staleFeatures', { projectId }, { stale: false }),
  batch(
    'tags 100 flags',
    'addTagToFeatures',
    { projectId },
    {
      tags: { addedTags: [{ type: 'simple', value: 'payments' }], removedTags: [] },
    },
  ),
  batch('validates the archive of 100 flags', 'validateArchiveFeatures', { projectId }),
  batch('archives 100 flags', 'archiveFeatures', { projectId }),
  batch('revives 100 flags', 'reviveFeatures', { projectId }),
  one('copies an environment', 'cloneEnvironment', {
    params: { name: environment },
    body: { name: 'development-copy', type: 'test' },
  }),
  {
    name: 'validates an import of 100 flags',
    operationId: 'validateImport',
    options: (_reference, before) => ({ body: importOf(before) }),
  },
  {
    name: 'imports 100 flags',
    operationId: 'importFeatures',
    options: (_reference, before) => ({ body: importOf(before) }),
  },
  one('moves a flag', 'changeProject', { params: ofFlag, body: { newProjectId: 'shop' } }),
];

const importOf = (before: ReadonlyMap<string, Any>) => ({
  project: projectId,
  environment,
  data: before.get('an export'),
});

/** Requests after which Burgee renews what they read, some seconds after the next change. They come last, so that this work counts for nothing else. */
export const RENEWED_LATER: readonly ReferenceRequest[] = [one('the index of flags', 'getFlagIndex')];
