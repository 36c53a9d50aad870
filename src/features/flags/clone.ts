import Type, { type Static } from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import { type CommandContext, command } from '../../engine/command.ts';
import type { Feature, FeatureEnvironment } from '../../model/feature.ts';
import { NameReference, UrlSafeName } from '../../model/primitives.ts';
import type { Strategy } from '../../model/strategy.ts';
import { findFeature, findProject } from '../shared/lookup.ts';
import { nameTaken } from './commands.ts';
import { namingProblem } from './naming.ts';
import { checkFeatureLimit } from './project-flag-limit.ts';

const CloneFeatureInput = Type.Object({
  project: NameReference,
  source: NameReference,
  name: UrlSafeName,
  replaceGroupId: Type.Boolean({ description: 'Strategies that have a `groupId` get the new name as `groupId`' }),
});
type CloneFeatureInput = Static<typeof CloneFeatureInput>;

/** Creates a flag with the strategies, variants and dependencies of another, off everywhere. Tags are not copied. */
export const cloneFeature = command({
  name: 'clone-feature',
  input: CloneFeatureInput,
  decide(context, input) {
    const { draft, by, now, emit } = context;
    const source = findFeature(draft, input.project, input.source);
    if (source instanceof Rejection) return source;
    const taken = nameTaken(draft, input.name);
    if (taken) return taken;
    const project = findProject(draft, source.project);
    if (project instanceof Rejection) return project;
    const misnamed = namingProblem(project, input.name);
    if (misnamed) return misnamed;
    const overLimit = checkFeatureLimit(draft, project, 1);
    if (overLimit) return overLimit;
    const { links: _links, collaborators: _collaborators, ...copied } = source;
    const clone: Feature = {
      ...copied,
      name: input.name,
      stale: false,
      createdAt: now,
      createdBy: by,
      tags: [],
      environments: source.environments.map((config) => cloneEnvironment(context, config, input)),
    };
    draft.put('features', clone);
    const at = { project: clone.project, featureName: clone.name };
    emit({ ...at, type: 'feature-created', data: clone });
    for (const { environment, strategies, variants } of clone.environments) {
      for (const data of strategies) emit({ ...at, environment, type: 'feature-strategy-add', data });
      if (variants.length === 0) continue;
      const change = { data: { variants }, preData: { variants: [] } };
      emit({ ...at, environment, type: 'feature-environment-variants-updated', ...change });
    }
    for (const data of clone.dependencies) emit({ ...at, type: 'feature-dependency-added', data });
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
    const regroup = replaceGroupId && Object.hasOwn(parameters, 'groupId');
    return {
      ...strategy,
      id: context.newId(),
      parameters: regroup ? { ...parameters, groupId: name } : parameters,
    };
  };
  const { environment, variants } = config;
  return { environment, enabled: false, strategies: config.strategies.map(cloneStrategy), variants };
}
