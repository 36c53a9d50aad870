import Type from 'typebox';
import { byText, sortedInSteps } from '../../../base/lists/sorted.ts';
import { Rejection } from '../../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../../base/yield-control.ts';
import { ok } from '../../../http/answer.ts';
import type { Feature } from '../../../model/feature.ts';
import type { StateReader } from '../../../state/collections.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { findFeature, findProject } from '../../shared/lookup.ts';
import { addDependency, canBeParent, removeDependencies, removeDependency } from './commands.ts';

const route = routesOf('Dependencies');

const CHILD_PATH = '/api/admin/projects/:projectId/features/:child';

const addFeatureDependency = route(`POST ${CHILD_PATH}/dependencies`, 'addFeatureDependency', {
  access: { permission: 'UPDATE_FEATURE_DEPENDENCY', project: 'path.projectId' },
  edits: 'feature',
  summary: 'Makes a flag depend on another flag of its project, or changes the dependency',
  body: Type.Object(
    {
      feature: Type.String({ description: 'Name of the parent' }),
      enabled: Type.Optional(Type.Boolean({ default: true, description: 'false: the parent must be off' })),
      variants: Type.Optional(
        Type.Array(Type.String({ maxLength: 100 }), {
          maxItems: 1000,
          description:
            'Variants of the parent, one of which must be selected; empty: any. Only for a parent that must be on',
        }),
      ),
    },
    { $id: 'createDependentFeature' },
  ),
  responses: { 200: { description: 'The flag depends on the parent' } },
  handle({ params, body, caller }, services) {
    const { feature: parent, enabled = true, variants = [] } = body;
    const input = { project: params.projectId, child: params.child, parent, enabled, variants };
    return change(services, caller, addDependency, input);
  },
});

const deleteFeatureDependency = route(`DELETE ${CHILD_PATH}/dependencies/:parent`, 'deleteFeatureDependency', {
  access: { permission: 'UPDATE_FEATURE_DEPENDENCY', project: 'path.projectId' },
  edits: 'feature',
  summary: 'Removes one dependency of a flag',
  handle({ params, caller }, services) {
    const input = { project: params.projectId, child: params.child, parent: params.parent };
    return change(services, caller, removeDependency, input);
  },
});

const deleteFeatureDependencies = route(`DELETE ${CHILD_PATH}/dependencies`, 'deleteFeatureDependencies', {
  access: { permission: 'UPDATE_FEATURE_DEPENDENCY', project: 'path.projectId' },
  edits: 'feature',
  summary: 'Removes all dependencies of a flag',
  handle: ({ params, caller }, services) =>
    change(services, caller, removeDependencies, { project: params.projectId, child: params.child }),
});

const listParentOptions = route(`GET ${CHILD_PATH}/parents`, 'listParentOptions', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'Names of the flags that this flag could depend on',
  responses: { 200: { description: 'The names', schema: Type.Array(Type.String()) } },
  async handle({ params, asker }, { fixedStates }) {
    const state = fixedStates.until(asker);
    const child = findFeature(state, params.projectId, params.child);
    if (child instanceof Rejection) return child;
    return { status: 200, pieces: namePieces(await inSlices(parentNames(child, state), Slicer.of(asker))) };
  },
});

/** Returns the sorted names of the flags on which `child` may depend. It works in steps, because a project may have many flags. */
function* parentNames(child: Feature, state: StateReader): Steps<string[]> {
  const names: string[] = [];
  for (const candidate of state.lookup('featuresByProject', child.project)) {
    yield;
    if (candidate.name !== child.name && canBeParent(candidate, child.project)) names.push(candidate.name);
  }
  return yield* sortedInSteps(names, byText);
}

/** Yields a JSON list of the names, name by name. */
function* namePieces(names: readonly string[]): Generator<string> {
  let separator = '[';
  for (const name of names) {
    yield separator + JSON.stringify(name);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

const listParentVariants = route(
  'GET /api/admin/projects/:projectId/features/:parent/parent-variants',
  'getParentVariants',
  {
    access: { permission: 'READ', project: 'path.projectId' },
    summary: 'Names of the variants of a flag in all its environments. A dependent flag may require these variants',
    responses: {
      200: { description: 'The names; empty if the flag does not exist', schema: Type.Array(Type.String()) },
    },
    handle({ params }, { state }) {
      const project = findProject(state, params.projectId);
      if (project instanceof Rejection) return project;
      const parent = findFeature(state, params.projectId, params.parent);
      return ok(parent instanceof Rejection ? [] : variantNames(parent));
    },
  },
);

/** Returns the sorted names of all variants of the flag and of its strategies, without duplicates. */
function variantNames({ environments }: Feature): string[] {
  const names = environments.flatMap(({ variants, strategies }) => [
    ...variants.map(({ name }) => name),
    ...strategies.flatMap((strategy) => strategy.variants.map(({ name }) => name)),
  ]);
  return [...new Set(names)].sort();
}

const dependenciesExist = route('GET /api/admin/projects/:projectId/dependencies', 'checkDependenciesExist', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'Whether any flag of a project depends on another flag',
  responses: { 200: { description: 'Whether such a flag exists', schema: Type.Boolean() } },
  handle({ params }, { state }) {
    const project = findProject(state, params.projectId);
    return project instanceof Rejection ? project : ok(state.count('childrenByProject', project.id) > 0);
  },
});

export const dependencyEndpoints = [
  listParentVariants,
  dependenciesExist,
  addFeatureDependency,
  deleteFeatureDependency,
  deleteFeatureDependencies,
  listParentOptions,
];
