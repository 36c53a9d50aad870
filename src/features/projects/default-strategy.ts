import Type from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import { longCommand } from '../../engine/command.ts';
import { type DefaultStrategy, defaultStrategyKey } from '../../model/default-strategy.ts';
import { NameReference } from '../../model/primitives.ts';
import { StrategyInput } from '../../model/strategy.ts';
import { contentOf } from '../flags/strategies/commands.ts';
import { validateStrategy } from '../flags/strategies/validate.ts';
import { findProject, findProjectEnvironment } from '../shared/lookup.ts';
import { type UndoRule, undoOfEdits } from '../shared/undoing.ts';

/** Sets the strategy that a flag of the project gets when it is switched on in the environment without a strategy. Existing strategies stay. */
export const setDefaultStrategy = longCommand({
  name: 'set-default-strategy',
  input: Type.Object({ project: NameReference, environment: NameReference, strategy: StrategyInput }),
  *decide({ draft, emit }, { project: id, environment, strategy: input }) {
    const found = findProjectEnvironment(draft, id, environment);
    if (found instanceof Rejection) return found;
    const project = findProject(draft, id);
    if (project instanceof Rejection) return project;
    const before = draft.get('defaultStrategies', defaultStrategyKey(id, environment))?.strategy;
    const strategy = yield* validateStrategy(draft, { project, featureName: '' }, contentOf(input), before);
    if (strategy instanceof Rejection) return strategy;
    draft.put('defaultStrategies', { project: id, environment, strategy });
    emit({ type: 'default-strategy-updated', project: id, environment, data: strategy, preData: before });
    return strategy;
  },
});

const NEEDED = ['UPDATE_PROJECT', 'PROJECT_DEFAULT_STRATEGY_WRITE'] as const;

/** Without a default strategy, a flag gets one that is on for everybody. */
export const undoDefaultStrategy: UndoRule<DefaultStrategy> = undoOfEdits({
  collection: 'defaultStrategies',
  place: ({ project, environment }) => ({ project, environment }),
  needs: { create: NEEDED, update: NEEDED, remove: NEEDED },
  events: { created: 'default-strategy-updated', updated: 'default-strategy-updated' },
  audited: ({ strategy }) => strategy,
  *problem({ draft }, { project: id, environment, strategy }, before) {
    const found = findProjectEnvironment(draft, id, environment);
    if (found instanceof Rejection) return found;
    const project = findProject(draft, id);
    if (project instanceof Rejection) return project;
    const owner = { project, featureName: '', isImported: true };
    const valid = yield* validateStrategy(draft, owner, strategy, before?.strategy);
    return valid instanceof Rejection ? valid : undefined;
  },
  remove({ draft, emit }, { project, environment, strategy }) {
    draft.remove('defaultStrategies', defaultStrategyKey(project, environment));
    emit({ type: 'default-strategy-updated', project, environment, preData: strategy });
    return undefined;
  },
});
