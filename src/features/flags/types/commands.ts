import Type from 'typebox';
import { notFound, type Rejection } from '../../../base/rejection.ts';
import { command } from '../../../engine/command.ts';
import type { FeatureType } from '../../../model/feature.ts';
import { NameReference } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import { writtenFields } from '../../shared/entity-fields.ts';
import { type UndoRule, undoOfEdits } from '../../shared/undoing.ts';
import { FEATURE_TYPE_DETAILS, FeatureTypeLifetime, isFeatureType } from './feature-type.ts';

export const LifetimeField = writtenFields(FeatureTypeLifetime, 'lifetimeDays');

/** Sets how long flags of a type are expected to be needed. The new lifetime also applies to existing flags. */
export const setFeatureTypeLifetime = command({
  name: 'set-feature-type-lifetime',
  input: Type.Object({ id: NameReference, ...LifetimeField }),
  decide({ draft, emit }, input): FeatureTypeLifetime | Rejection {
    const { id } = input;
    if (!isFeatureType(id)) return notFound(`There is no feature type ${id}.`);
    const before = { id, lifetimeDays: lifetimeDaysOf(draft, id) };
    const after: FeatureTypeLifetime = { id, lifetimeDays: input.lifetimeDays === 0 ? null : input.lifetimeDays };
    if (before.lifetimeDays === after.lifetimeDays) return after;
    draft.put('featureTypes', after);
    emit({ type: 'feature-type-updated', data: after, preData: before });
    return after;
  },
});

/** Returns the expected lifetime of flags of the type, in days; null if the lifetime has no end. */
export function lifetimeDaysOf(reader: StateReader, id: FeatureType): number | null {
  const setting = reader.get('featureTypes', id);
  return setting ? setting.lifetimeDays : FEATURE_TYPE_DETAILS[id].lifetimeDays;
}

/** Without a lifetime that a user has set, a type has its default lifetime. */
export const undoFeatureType: UndoRule<FeatureTypeLifetime> = undoOfEdits({
  collection: 'featureTypes',
  shape: FeatureTypeLifetime,
  needs: { create: ['ADMIN'], update: ['ADMIN'], remove: ['ADMIN'] },
  events: { created: 'feature-type-updated', updated: 'feature-type-updated' },
  remove({ draft, emit }, before) {
    const { id } = before;
    draft.remove('featureTypes', id);
    emit({ type: 'feature-type-updated', data: { id, lifetimeDays: lifetimeDaysOf(draft, id) }, preData: before });
    return undefined;
  },
});
