import Type from 'typebox';
import { collection } from '../../../model/collection.ts';
import type { EntityOf } from '../../../model/entity.ts';
import { DateTime, NAME_LENGTH_MAX, Nullable, Text } from '../../../model/primitives.ts';
import { Milestone } from '../../../model/release-plan.ts';

/** Milestones from which release plans are made. A later change of it does not change these plans. Collection `releasePlanTemplates`, key: the id. */
export const ReleasePlanTemplate = Type.Object({
  id: Type.String(),
  name: Type.String({
    minLength: 1,
    maxLength: NAME_LENGTH_MAX,
    pattern: '\\S',
    description: 'Name of the release template',
  }),
  description: Nullable(Text),
  /** In the order in which plans start them. */
  milestones: Type.Array(Milestone),
  createdByUserId: Type.Integer(),
  createdAt: DateTime,
  /** No plan can be made of an archived template. */
  archivedAt: Nullable(DateTime),
});
export interface ReleasePlanTemplate extends Omit<EntityOf<typeof ReleasePlanTemplate>, 'milestones'> {
  readonly milestones: readonly Milestone[];
}

export const releasePlanTemplates = collection({
  schema: 1,
  key: (template: ReleasePlanTemplate) => template.id,
});

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly releasePlanTemplates: typeof releasePlanTemplates;
  }
}
