import { may } from '../../access/may.ts';
import type { CommandContext } from '../../engine/command.ts';
import { type Feature, type FeatureDependency, featureEnvironment } from '../../model/feature.ts';
import { PERMISSIONS, type Permission } from '../../model/permission.ts';
import type { ImportInput } from './import-input.ts';
import { ImportProblems } from './import-problems.ts';

const MESSAGE = 'You lack these permissions, which the import needs:';

/**
 * Checks the permissions that an import needs: the same permissions that the caller would need to make these changes with other commands. Each
 * permission is checked once, at the first change that needs it.
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

  /** Checks permissions for the context fields and tag types that the import creates. Call it before they are created. */
  ofSharedThings(): void {
    const { draft } = this.#context;
    const { contextFields, tagTypes } = this.#input;
    if (contextFields.some(({ name }) => !draft.get('contextFields', name))) this.#needs('CREATE_CONTEXT_FIELD');
    if (tagTypes.some(({ name }) => !draft.get('tagTypes', name))) this.#needs('CREATE_TAG_TYPE');
  }

  /** Checks permissions for the changes of one flag. */
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
    const location = [reach === 'root' ? null : project, reach === 'environment' ? environment : null] as const;
    if (!may(draft, caller, permission, ...location)) this.problems.add(MESSAGE, permission, 'forbidden');
  }
}

/** Whether a dependency was added or changed. An import removes none. */
function dependsOtherwise(before: readonly FeatureDependency[], after: readonly FeatureDependency[]): boolean {
  if (before === after) return false;
  const details = ({ feature, enabled, variants }: FeatureDependency) => JSON.stringify([feature, enabled, variants]);
  const known = new Set(before.map(details));
  return after.some((dependency) => !known.has(details(dependency)));
}
