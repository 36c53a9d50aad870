import Type from 'typebox';
import { fingerprint } from '../../../base/json-hash.ts';
import { collection } from '../../../model/collection.ts';
import type { EntityOf } from '../../../model/entity.ts';
import { DateTime, NAME_LENGTH_MAX, NameReference, Nullable, Text } from '../../../model/primitives.ts';
import { Milestone } from '../../../model/release-plan.ts';
import type { StateReader } from '../../../state/collections.ts';

/** Milestones from which release plans are made. A later change of it does not change these plans. Collection `releasePlanTemplates`, key: the id. */
export const ReleasePlanTemplate = Type.Object({
  id: Type.String(),
  /** The project whose flags alone can have plans of it. Missing: the flags of all projects. */
  project: Type.Optional(NameReference),
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

/** Version 2 has templates of a project. Version 1 would show them to everyone, and use them for all flags. */
export const releasePlanTemplates = collection({
  schema: 2,
  upgrade: (template) => template as ReleasePlanTemplate,
  key: (template: ReleasePlanTemplate) => template.id,
  indexes: {
    /** The templates of a project; under the empty key, those of all projects. */
    templatesByProject: ({ project }: ReleasePlanTemplate) => [project ?? ''],
  },
});

const knownVersions = new WeakMap<ReleasePlanTemplate, string>();

/** Fingerprint of what plans get from the template; undefined if there is no such template. */
export function templateVersion(reader: StateReader, templateId: string): string | undefined {
  const template = reader.get('releasePlanTemplates', templateId);
  if (!template) return undefined;
  let version = knownVersions.get(template);
  if (version === undefined) {
    version = fingerprint(template.milestones);
    knownVersions.set(template, version);
  }
  return version;
}

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly releasePlanTemplates: typeof releasePlanTemplates;
  }
}
