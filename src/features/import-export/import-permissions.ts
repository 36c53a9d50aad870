import { may } from '../../access/may.ts';
import type { CommandContext } from '../../engine/command.ts';
import { type Feature, type FeatureDependency, featureEnvironment } from '../../model/feature.ts';
import { PERMISSIONS, type Permission } from '../../model/permission.ts';
import type { ImportInput } from './import-input.ts';
import { ImportProblems } from './import-problems.ts';

const MESSAGE = 'You lack these permissions, which the import takes:';

/**
 * What an import takes of the caller: an import does what other commands do, and nobody may do with it what they may not do without. Each
 * permission is asked for once, when the first thing is met that takes it.
 */
export class ImportPermissions {
  readonly problems = new ImportProblems();
  readonly #context: Pick<CommandContext, 'draft' | 'caller'>;
  readonly #input: ImportInput;
  readonly #asked = new Set<Permission>();

  constructor(context: Pick<CommandContext, 'draft' | 'caller'>, input: ImportInput) {
    this.#context = context;
    this.#input = input;
  }

  /** Of what the import creates beside flags. Before it is created. */
  ofSharedThings(): void {
    const { draft } = this.#context;
    const { contextFields, tagTypes } = this.#input;
    if (contextFields.some(({ name }) => !draft.get('contextFields', name))) this.#needs('CREATE_CONTEXT_FIELD');
    if (tagTypes.some(({ name }) => !draft.get('tagTypes', name))) this.#needs('CREATE_TAG_TYPE');
  }

  /** Of what becomes of one flag. */
  ofFlag(before: Feature | undefined, after: Feature): void {
    this.#needs(before ? 'UPDATE_FEATURE' : 'CREATE_FEATURE');
    if (dependsOtherwise(before?.dependencies ?? [], after.dependencies)) this.#needs('UPDATE_FEATURE_DEPENDENCY');
    const is = featureEnvironment(after, this.#input.environment);
    const was = before && featureEnvironment(before, this.#input.environment);
    if (is.enabled !== (was?.enabled ?? false)) this.#needs('UPDATE_FEATURE_ENVIRONMENT');
    const hasBeenReplaced = is.strategies !== was?.strategies;
    if (hasBeenReplaced && is.strategies.length > 0) this.#needs('CREATE_FEATURE_STRATEGY');
    if (hasBeenReplaced && was && was.strategies.length > 0) this.#needs('DELETE_FEATURE_STRATEGY');
    if (is.variants !== was?.variants && is.variants.length + (was?.variants.length ?? 0) > 0)
      this.#needs('UPDATE_FEATURE_ENVIRONMENT_VARIANTS');
  }

  #needs(permission: Permission): void {
    if (this.#asked.has(permission)) return;
    this.#asked.add(permission);
    const { draft, caller } = this.#context;
    const { project, environment } = this.#input;
    const reach = PERMISSIONS[permission];
    const place = [reach === 'root' ? null : project, reach === 'environment' ? environment : null] as const;
    if (!may(draft, caller, permission, ...place)) this.problems.add(MESSAGE, permission, 'forbidden');
  }
}

/** An import takes no parent away: what is not as it was is new, or expects something else of its parent. */
function dependsOtherwise(before: readonly FeatureDependency[], after: readonly FeatureDependency[]): boolean {
  if (before === after) return false;
  const facts = ({ feature, enabled, variants }: FeatureDependency) => JSON.stringify([feature, enabled, variants]);
  const known = new Set(before.map(facts));
  return after.some((dependency) => !known.has(facts(dependency)));
}
