import Type from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import { type CommandContext, command } from '../../engine/command.ts';
import type { Feature } from '../../model/feature.ts';
import { NAME_LENGTH_MAX, NameReference, Nullable } from '../../model/primitives.ts';
import type { StateReader } from '../../state/collections.ts';
import type { Draft } from '../../state/draft.ts';
import { findFeature } from '../shared/lookup.ts';
import { COMPLETION_STATUSES, isLaterStage, type LifecycleStage, type LifecycleStep, lastStep } from './lifecycle.ts';

/** The stages that the flag has entered, oldest first. The last one is its current stage. */
export function lifecycleSteps(reader: StateReader, feature: Feature): readonly LifecycleStep[] {
  const steps = ownSteps(reader, feature);
  return feature.archivedAt === null ? steps : [...steps, { stage: 'archived', enteredStageAt: feature.archivedAt }];
}

/** The stage of the flag, as its answers contain it (contract: Feature, `lifecycle`). */
export function lifecycleOf(reader: StateReader, feature: Feature): Omit<LifecycleStep, 'statusValue'> {
  const { stage, enteredStageAt, status } = lastStep(lifecycleSteps(reader, feature));
  return status === undefined ? { stage, enteredStageAt } : { stage, enteredStageAt, status };
}

function ownSteps(reader: StateReader, { name, createdAt }: Feature): readonly LifecycleStep[] {
  return reader.get('lifecycles', name)?.steps ?? [{ stage: 'initial', enteredStageAt: createdAt }];
}

/** The stages that flags enter because they are used. */
export const STAGES_OF_USE = ['pre-live', 'live'] as const satisfies readonly LifecycleStage[];

/** Maximum number of flags that one command moves. */
export const STAGE_MOVES_MAX = 256;

/**
 * Moves flags to the stage that their use shows, unless they have reached it. A flag never moves back, and completed or archived flags do not move.
 * The decision uses the draft: if several replicas have seen the same use, only the first command moves the flag.
 */
export const advanceLifecycles = command({
  name: 'advance-lifecycles',
  input: Type.Object({
    moves: Type.Array(Type.Object({ feature: NameReference, stage: Type.Enum([...STAGES_OF_USE]) }), {
      maxItems: STAGE_MOVES_MAX,
    }),
  }),
  decide({ draft, now }, { moves }) {
    for (const { feature: name, stage } of moves) {
      const feature = draft.get('features', name);
      if (feature && canAdvance(draft, feature, stage)) enter(draft, feature, { stage, enteredStageAt: now });
    }
    return undefined;
  },
});

/** Whether a use that shows this stage would move the flag to it. */
export function canAdvance(reader: StateReader, feature: Feature, stage: LifecycleStage): boolean {
  return !feature.archived && isLaterStage(stage, lastStep(ownSteps(reader, feature)).stage);
}

function enter(draft: Draft, feature: Feature, step: LifecycleStep): void {
  const before = ownSteps(draft, feature).filter(({ stage }) => stage !== step.stage);
  draft.put('lifecycles', { feature: feature.name, steps: [...before, step] });
}

export const Completion = {
  status: Type.Enum([...COMPLETION_STATUSES], {
    description: 'Whether the feature behind the flag was kept or discarded',
  }),
  statusValue: Type.Optional(
    Nullable(Type.String({ maxLength: NAME_LENGTH_MAX, description: 'The variant that was kept' })),
  ),
};

/** Completes a flag and stores the result. If the flag is already completed, the result is replaced and the time of the first completion stays. */
export const completeFeature = command({
  name: 'complete-feature',
  input: Type.Object({ project: NameReference, name: NameReference, ...Completion }),
  decide(context, { project, name, status, statusValue }) {
    const { draft, now, emit } = context;
    const feature = findFeature(draft, project, name);
    if (feature instanceof Rejection) return feature;
    const last = lastStep(ownSteps(draft, feature));
    const enteredStageAt = last.stage === 'completed' ? last.enteredStageAt : now;
    const completion = { status, ...(typeof statusValue === 'string' && { statusValue }) };
    enter(draft, feature, { stage: 'completed', enteredStageAt, ...completion });
    emit({ type: 'feature-completed', project, featureName: name, data: completion, tags: feature.tags });
    return undefined;
  },
});

/** Reverts the completion: the flag returns to its previous stage. A flag that is not completed does not change. */
export const uncompleteFeature = command({
  name: 'uncomplete-feature',
  input: Type.Object({ project: NameReference, name: NameReference }),
  decide(context, { project, name }) {
    const { draft, emit } = context;
    const feature = findFeature(draft, project, name);
    if (feature instanceof Rejection) return feature;
    const steps = ownSteps(draft, feature);
    if (lastStep(steps).stage !== 'completed') return undefined;
    draft.put('lifecycles', { feature: name, steps: steps.slice(0, -1) });
    emit({ type: 'feature-uncompleted', project, featureName: name, tags: feature.tags });
    return undefined;
  },
});

/** Call it when a flag is revived from the archive: it starts again at the first stage. */
export function restartLifecycle({ draft, now }: Pick<CommandContext, 'draft' | 'now'>, name: string): void {
  draft.put('lifecycles', { feature: name, steps: [{ stage: 'initial', enteredStageAt: now }] });
}

/** Call it when a flag is deleted: a later flag with the same name starts its own lifecycle. */
export function forgetLifecycle({ draft }: Pick<CommandContext, 'draft'>, name: string): void {
  if (draft.get('lifecycles', name)) draft.remove('lifecycles', name);
}
