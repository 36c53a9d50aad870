import type { Static } from 'typebox';
import { pushAll } from '../../base/lists/push-all.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import { isSameJson } from '../../base/same-json.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type Feature, type FeatureEnvironment, featureEnvironment } from '../../model/feature.ts';
import type { Segment } from '../../model/segment.ts';
import type { Strategy } from '../../model/strategy.ts';
import { Draft } from '../../state/draft.ts';
import type { State } from '../../state/state.ts';
import type { WantedChange } from '../change-requests/trying.ts';
import { ownStrategies } from '../flags/plans/starting.ts';
import type { FieldConflict } from '../shared/field-changes.ts';
import { recordedAs } from '../shared/recorded.ts';
import { conflictRejection, mergedEntity, type Reversal, type UndoInput } from './undo-command.ts';
import { undonePlanChanges, undoneSafeguardChanges } from './undone-plan.ts';

type Wanted = Static<typeof WantedChange>;

/** The changes of a change request that undoes a commit in one environment, and the project of its flags. */
interface UndoneInEnvironment {
  readonly project: string;
  readonly changes: readonly Wanted[];
}

/** The undo as changes of a change request: settings of flags in the environment, and segments. A rejection if a field was changed again. */
export function* undoneInEnvironment(
  state: State,
  { environment, project: wanted }: { readonly environment: string; readonly project?: string | undefined },
  { reversals }: UndoInput,
): Steps<UndoneInEnvironment | Rejection> {
  const draft = new Draft(state);
  const conflicts: FieldConflict[] = [];
  const changes: Wanted[] = [];
  const projects = new Set<string>();
  for (const reversal of reversals) {
    const merged = mergedEntity({ draft }, reversal, conflicts);
    const current = draft.get(reversal.collection, reversal.key);
    yield;
    if (reversal.collection !== 'features' && reversal.collection !== 'segments') return notInRequest(reversal);
    if (!current || !merged) {
      if (reversal.collection === 'segments' && current) changes.push(segmentDeletion(reversal.key));
      else if (current || merged) return NOT_IN_REQUEST;
    } else if (reversal.collection === 'segments') changes.push(segmentUpdate(merged as Segment));
    else {
      const [before, after] = [current as Feature, merged as Feature];
      projects.add(before.project);
      const [now, then] = [featureEnvironment(before, environment), featureEnvironment(after, environment)];
      const planChanges = undonePlanChanges(before.name, now.releasePlan, then.releasePlan);
      if (planChanges instanceof Rejection) return planChanges;
      pushAll(changes, planChanges);
      pushAll(changes, undoneSafeguardChanges(before.name, now.safeguards, then.safeguards));
      pushAll(changes, settingsChanges(before.name, withoutPlan(now), withoutPlan(then)));
    }
  }
  if (conflicts.length > 0) return conflictRejection(conflicts);
  const [project = wanted, ...others] = projects;
  if (project === undefined || others.length > 0 || (wanted !== undefined && wanted !== project)) return ONE_PROJECT;
  if (changes.length === 0)
    return invalid(`Nothing of it can be undone in the environment ${environment}.`, '/changeRequest');
  return { project, changes };
}

const NOT_IN_REQUEST = invalid(
  'A change request cannot create or delete flags, and cannot create segments.',
  '/changeRequest',
);
function notInRequest({ collection, key }: Reversal): Rejection {
  return invalid(
    `The commit also changed the ${recordedAs(collection)?.type} ${key}, which a change request cannot change. Name flags and segments in \`entities\`.`,
    '/entities',
  );
}

const ONE_PROJECT = invalid(
  'A change request concerns flags of one project: name these flags in `entities`. For segments alone, name the project in `changeRequest`.',
  '/entities',
);

function segmentDeletion(key: string): Wanted {
  return { action: 'deleteSegment', payload: { id: Number(key) } };
}

function segmentUpdate({ id, name, description, project, constraints }: Segment): Wanted {
  const owner = project === null ? {} : { project };
  return { action: 'updateSegment', payload: { id, name, description, ...owner, constraints: [...constraints] } };
}

/** The settings without the strategies of the plan, which `undonePlanChanges` changes. */
function withoutPlan(settings: FeatureEnvironment): FeatureEnvironment {
  return settings.releasePlan ? { ...settings, strategies: ownStrategies(settings, settings.releasePlan) } : settings;
}

function settingsChanges(feature: string, before: FeatureEnvironment, after: FeatureEnvironment): Wanted[] {
  const changes: Wanted[] = [];
  const add = (action: Wanted['action'], payload: unknown) => changes.push({ action, feature, payload });
  const ids = (settings: FeatureEnvironment) => settings.strategies.map(({ id }) => id);
  const known = new Map(before.strategies.map((strategy) => [strategy.id, strategy]));
  for (const strategy of after.strategies) {
    const old = known.get(strategy.id);
    if (!old) add('addStrategy', contentOf(strategy));
    else if (!isSameJson(contentOf(old), contentOf(strategy))) {
      add('updateStrategy', { id: strategy.id, ...contentOf(strategy) });
    }
  }
  for (const id of ids(before)) if (!ids(after).includes(id)) add('deleteStrategy', { id });
  const kept = (one: FeatureEnvironment, other: FeatureEnvironment) => ids(one).filter((id) => ids(other).includes(id));
  if (!isSameJson(kept(before, after), kept(after, before))) {
    add(
      'reorderStrategy',
      kept(after, before).map((id, sortOrder) => ({ id, sortOrder })),
    );
  }
  if (!isSameJson(before.variants, after.variants)) add('patchVariant', { variants: after.variants });
  if (before.enabled !== after.enabled) add('updateEnabled', { enabled: after.enabled });
  return changes;
}

/** A strategy that was removed gets a new id when it is added again. */
function contentOf({ id: _id, ...content }: Strategy): Omit<Strategy, 'id'> {
  return content;
}
