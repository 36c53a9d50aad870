import Type, { type Static } from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import { type CommandContext, command } from '../../engine/command.ts';
import type { Feature, FeatureEnvironment } from '../../model/feature.ts';
import { NameReference, UrlSafeName } from '../../model/primitives.ts';
import type { Strategy } from '../../model/strategy.ts';
import { findFeature, findProject } from '../shared/lookup.ts';
import { featureNameProblem } from './commands.ts';
import { namingProblem } from './naming.ts';
import { featureLimitProblem } from './project-flag-limit.ts';

const CloneFeatureInput = Type.Object({
  project: NameReference,
  source: NameReference,
  name: UrlSafeName,
  replaceGroupId: Type.Boolean({ description: 'Strategies that have a `groupId` get the new name as `groupId`' }),
});
type CloneFeatureInput = Static<typeof CloneFeatureInput>;

/** Creates a flag with the strategies, variants and dependencies of another flag. The new flag is off in every environment and has no tags. */
export const cloneFeature = command({
  name: 'clone-feature',
  input: CloneFeatureInput,
  decide(context, input) {
    const { draft, by, now, emit } = context;
    const source = findFeature(draft, input.project, input.source);
    if (source instanceof Rejection) return source;
    const nameProblem = featureNameProblem(draft, input.name);
    if (nameProblem) return nameProblem;
    const project = findProject(draft, source.project);
    if (project instanceof Rejection) return project;
    const problem = namingProblem(project, input.name) ?? featureLimitProblem(draft, project, 1);
    if (problem) return problem;
    const { links: _links, collaborators: _collaborators, changedAt: _changedAt, ...copiedFields } = source;
    const clone: Feature = {
      ...copiedFields,
      name: input.name,
      stale: false,
      createdAt: now,
      createdBy: by,
      tags: [],
      environments: source.environments.map((config) => cloneEnvironment(context, config, input)),
    };
    draft.put('features', clone);
    const location = { project: clone.project, featureName: clone.name };
    emit({ ...location, type: 'feature-created', data: clone });
    for (const { environment, strategies, variants } of clone.environments) {
      for (const data of strategies) emit({ ...location, environment, type: 'feature-strategy-add', data });
      if (variants.length === 0) continue;
      const change = { data: { variants }, preData: { variants: [] } };
      emit({ ...location, environment, type: 'feature-environment-variants-updated', ...change });
    }
    for (const data of clone.dependencies) emit({ ...location, type: 'feature-dependency-added', data });
    return clone;
  },
});

function cloneEnvironment(
  context: CommandContext,
  config: FeatureEnvironment,
  { name, replaceGroupId }: CloneFeatureInput,
): FeatureEnvironment {
  const cloneStrategy = (strategy: Strategy): Strategy => {
    const { parameters } = strategy;
    const replacesGroup = replaceGroupId && Object.hasOwn(parameters, 'groupId');
    return {
      ...strategy,
      id: context.newId(),
      parameters: replacesGroup ? { ...parameters, groupId: name } : parameters,
    };
  };
  const { environment, variants } = config;
  return { environment, enabled: false, strategies: config.strategies.map(cloneStrategy), variants };
}
