import { may } from '../../access/may.ts';
import type { CommandContext } from '../../engine/command.ts';
import { type Feature, type FeatureDependency, featureEnvironment } from '../../model/feature.ts';
import { PERMISSIONS, type Permission } from '../../model/permission.ts';
import type { ImportInput } from './import-input.ts';
import { ImportProblems } from './import-problems.ts';

const MESSAGE = 'You lack these permissions, which the import needs:';

/**
 * Checks the permissions that an import needs: those that the caller would need to make the same changes with other commands. Each permission is
 * checked once, at the first change that needs it.
 */
export class ImportPermissions {
  readonly problems = new ImportProblems();
  readonly #context: Pick<CommandContext, 'draft' | 'caller'>;
  readonly #input: ImportInput;
  readonly #checked = new Set<Permission>();

  constructor(context: Pick<CommandContext, 'draft' | 'caller'>, input: ImportInput) {
    this.#context = context;
    this.#input = input;
  }

  /** Checks permissions for the context fields and tag types that the import creates. Call it before they are created. */
  checkSharedEntities(): void {
    const { draft } = this.#context;
    const { contextFields, tagTypes } = this.#input;
    if (contextFields.some(({ name }) => !draft.get('contextFields', name))) this.#check('CREATE_CONTEXT_FIELD');
    if (tagTypes.some(({ name }) => !draft.get('tagTypes', name))) this.#check('CREATE_TAG_TYPE');
  }

  /** Checks permissions for the changes of one flag. */
  checkFlag(before: Feature | undefined, after: Feature): void {
    this.#check(before ? 'UPDATE_FEATURE' : 'CREATE_FEATURE');
    if (hasNewDependency(before?.dependencies ?? [], after.dependencies)) this.#check('UPDATE_FEATURE_DEPENDENCY');
    const afterImport = featureEnvironment(after, this.#input.environment);
    const beforeImport = before && featureEnvironment(before, this.#input.environment);
    if (afterImport.enabled !== (beforeImport?.enabled ?? false)) this.#check('UPDATE_FEATURE_ENVIRONMENT');
    const areStrategiesReplaced = afterImport.strategies !== beforeImport?.strategies;
    if (areStrategiesReplaced && afterImport.strategies.length > 0) this.#check('CREATE_FEATURE_STRATEGY');
    if (areStrategiesReplaced && beforeImport && beforeImport.strategies.length > 0)
      this.#check('DELETE_FEATURE_STRATEGY');
    if (
      afterImport.variants !== beforeImport?.variants &&
      afterImport.variants.length + (beforeImport?.variants.length ?? 0) > 0
    )
      this.#check('UPDATE_FEATURE_ENVIRONMENT_VARIANTS');
  }

  #check(permission: Permission): void {
    if (this.#checked.has(permission)) return;
    this.#checked.add(permission);
    const { draft, caller } = this.#context;
    const { project, environment } = this.#input;
    const reach = PERMISSIONS[permission];
    const location = [reach === 'root' ? null : project, reach === 'environment' ? environment : null] as const;
    if (!may(draft, caller, permission, ...location)) this.problems.add(MESSAGE, permission, 'forbidden');
  }
}

/** Whether a dependency is added or changed. An import removes no dependency. */
function hasNewDependency(before: readonly FeatureDependency[], after: readonly FeatureDependency[]): boolean {
  if (before === after) return false;
  const dependencyKey = ({ feature, enabled, variants }: FeatureDependency) =>
    JSON.stringify([feature, enabled, variants]);
  const known = new Set(before.map(dependencyKey));
  return after.some((dependency) => !known.has(dependencyKey(dependency)));
}
