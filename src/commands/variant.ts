import { Rejection } from '../base/rejection.ts';
import type { FeatureEnvironment } from '../model/feature.ts';
import type { Variant } from '../model/variant.ts';
import type { StateReader } from '../state/collections.ts';
import type { Command, CommandContext } from './command.ts';
import { type FoundPlace, findFeaturePlace, withEnvironment } from './feature-environment.ts';
import { findFeature, findProject } from './lookup.ts';
import { validateVariants } from './validate-variants.ts';

export interface SetVariantsInput {
  readonly project: string;
  readonly featureName: string;
  /** Where: these environments of the project, or all it has. */
  readonly environments: readonly string[] | 'all';
  /** What becomes of the variants of an environment. Pure. */
  change(before: readonly Variant[]): readonly Variant[] | Rejection;
  /** JSON pointer of the variants in the request. */
  readonly path: string;
}

/** Replaces the variants of a flag and shares their weights out, in all the environments or in none. Answers those of the first one. */
export const setVariants: Command<SetVariantsInput, readonly Variant[]> = (context, input) => {
  const { draft, emit } = context;
  const { project, featureName } = input;
  const environments = environmentsOf(draft, input);
  if (environments instanceof Rejection) return environments;
  const before = findFeature(draft, project, featureName);
  if (before instanceof Rejection) return before;
  let answer: readonly Variant[] | undefined;
  for (const environment of environments) {
    const found = findFeaturePlace(draft, { project, featureName, environment });
    if (found instanceof Rejection) return found;
    const changed = input.change(found.config.variants);
    if (changed instanceof Rejection) return changed;
    const variants = validateVariants(changed, input.path);
    if (variants instanceof Rejection) return variants;
    putVariants(context, found, variants);
    answer ??= variants;
  }
  if (input.environments === 'all') {
    const data = { variants: answer ?? [] };
    const preData = { environments: before.environments.map(variantsOf) };
    emit({ type: 'feature-variants-updated', project, featureName, data, preData });
  }
  return answer ?? [];
};

function environmentsOf(reader: StateReader, input: SetVariantsInput): readonly string[] | Rejection {
  if (input.environments !== 'all') return [...new Set(input.environments)];
  const project = findProject(reader, input.project);
  return project instanceof Rejection ? project : project.environments;
}

function variantsOf({ environment, variants }: FeatureEnvironment) {
  return { environment, variants };
}

function putVariants({ draft, emit }: CommandContext, { feature, config }: FoundPlace, variants: Variant[]): void {
  draft.put('features', withEnvironment(feature, { ...config, variants }));
  emit({
    type: 'feature-environment-variants-updated',
    project: feature.project,
    featureName: feature.name,
    environment: config.environment,
    data: { variants },
    preData: { variants: config.variants },
  });
}
