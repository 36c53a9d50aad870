import Type from 'typebox';
import { permissionProblem } from '../../../access/permission-problem.ts';
import { notAllowed, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, longCommand } from '../../../engine/command.ts';
import type { Feature, FeatureEnvironment } from '../../../model/feature.ts';
import { ENVIRONMENT_LIMITS } from '../../../model/limits/environments.ts';
import { MODEL_LIMITS } from '../../../model/limits.ts';
import { NameReference } from '../../../model/primitives.ts';
import { Variant } from '../../../model/variant.ts';
import { applyPatch, JsonPatch } from '../../shared/json-patch.ts';
import { findFeature, findProject } from '../../shared/lookup.ts';
import { FeatureLocation, type FoundLocation, findFeatureLocation, withEnvironment } from '../environments/settings.ts';
import { validateVariants } from './validate.ts';

export const Variants = Type.Array(Variant, { maxItems: MODEL_LIMITS.featureVariants.max });

export const VariantEnvironments = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: ENVIRONMENT_LIMITS.environments.max,
});

const FeatureReference = { project: NameReference, featureName: NameReference };

/**
 * Replaces the variants of a flag in the specified environments, all or none, and distributes their weights. Returns the variants. With `isBatch`, also
 * for a flag that has no variants in its environments yet, as in Unleash.
 */
export const setVariants = longCommand({
  name: 'set-variants',
  input: Type.Object({
    ...FeatureReference,
    environments: VariantEnvironments,
    variants: Variants,
    isBatch: Type.Optional(Type.Boolean()),
  }),
  *decide({ draft, caller, emit }, { project, featureName, environments, variants, isBatch = false }) {
    const validVariants = yield* validateVariants(variants);
    for (const environment of new Set(environments)) {
      const permission = 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS';
      const refusal = permissionProblem({ draft, caller }, [permission], project, environment);
      if (refusal) return refusal;
      const found = findFeatureLocation(draft, { project, featureName, environment });
      if (found instanceof Rejection) return found;
      if (validVariants instanceof Rejection) return validVariants;
      const problem = isBatch ? undefined : firstVariantsProblem(found.feature, validVariants);
      if (problem) return problem;
      putVariants({ draft, emit }, found, validVariants);
    }
    return validVariants;
  },
});

/** Like `setVariants`, in every environment of the project. */
export const setVariantsEverywhere = longCommand({
  name: 'set-variants-everywhere',
  input: Type.Object({ ...FeatureReference, variants: Variants }),
  *decide({ draft, emit }, { project: projectId, featureName, variants }) {
    const before = findFeature(draft, projectId, featureName);
    if (before instanceof Rejection) return before;
    const project = findProject(draft, projectId);
    if (project instanceof Rejection) return project;
    const validVariants = yield* validateVariants(variants);
    if (validVariants instanceof Rejection) return validVariants;
    for (const environment of project.environments) {
      const found = findFeatureLocation(draft, { project: projectId, featureName, environment });
      if (found instanceof Rejection) return found;
      putVariants({ draft, emit }, found, validVariants);
    }
    const preData = { environments: before.environments.map(variantsOf) };
    emit({
      type: 'feature-variants-updated',
      project: projectId,
      featureName,
      data: { variants: validVariants },
      preData,
    });
    return validVariants;
  },
});

/** Changes the variants of a flag in one environment by a JSON Patch of their list, and distributes their weights. */
export const patchVariants = longCommand({
  name: 'patch-variants',
  input: Type.Object({ ...FeatureLocation.properties, patch: JsonPatch }),
  *decide({ draft, emit }, { patch, ...location }) {
    const found = findFeatureLocation(draft, location);
    if (found instanceof Rejection) return found;
    const variants = applyPatch(Variants, found.config.variants, patch);
    if (variants instanceof Rejection) return variants;
    const validVariants = yield* validateVariants(variants);
    const problem =
      validVariants instanceof Rejection ? validVariants : firstVariantsProblem(found.feature, validVariants);
    if (problem) return problem;
    putVariants({ draft, emit }, found, validVariants as Variant[]);
    return validVariants;
  },
});

/**
 * Returns a rejection if the flag has no variants in its environments and would now get the first ones. Variants of strategies have replaced variants
 * of environments. A flag that already has variants in an environment may still change them. `setVariantsEverywhere`, the older operation, and the batch
 * of `setVariants` are still allowed for every flag.
 */
function firstVariantsProblem({ name, environments }: Feature, variants: readonly Variant[]): Rejection | undefined {
  if (variants.length === 0 || environments.some((environment) => environment.variants.length > 0)) return undefined;
  return notAllowed(
    `The feature ${name} has no variants in its environments and cannot get any: add variants to its strategies.`,
  );
}

function variantsOf({ environment, variants }: FeatureEnvironment) {
  return { environment, variants };
}

function putVariants(
  { draft, emit }: Pick<CommandContext, 'draft' | 'emit'>,
  { feature, config }: FoundLocation,
  variants: Variant[],
): void {
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
