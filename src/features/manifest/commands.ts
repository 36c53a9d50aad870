import Type from 'typebox';
import { conflict, invalid, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { decideInSteps, longCommand } from '../../engine/command.ts';
import { Feature, MANIFEST_TYPES, ManifestEntry } from '../../model/feature.ts';
import { NameReference } from '../../model/primitives.ts';
import type { StateReader } from '../../state/collections.ts';
import { archiveFeatures } from '../flags/archive/commands.ts';
import { updateFeature } from '../flags/commands.ts';
import { findFeature } from '../shared/lookup.ts';
import { entryOf, entryOfPayloads } from './declared.ts';

const FlagOfProject = { project: NameReference, name: NameReference };

/**
 * Replaces the description of a flag and what code declares for it. The type of a flag cannot change: running code has it. A flag whose type nothing
 * says yet gets one.
 */
export const declareFeature = longCommand({
  name: 'declare-feature',
  input: Type.Object({
    ...FlagOfProject,
    description: Feature.properties.description,
    type: Type.Enum([...MANIFEST_TYPES]),
    manifest: Type.Optional(ManifestEntry),
  }),
  *decide(context, { project, name, description, type, manifest }): Steps<Feature | Rejection> {
    const { draft } = context;
    const feature = findManifestFeature(draft, project, name);
    if (feature instanceof Rejection) return feature;
    const known = feature.manifest ?? entryOfPayloads(feature, draft);
    const isWider = feature.manifest === undefined && known?.type === 'integer' && type === 'float';
    if (known && known.type !== type && !isWider)
      return conflict(`The type of the flag ${name} is ${known.type}; it cannot change to ${type}.`);
    if (!manifest && type !== entryOf(feature, draft).type)
      return invalid(`The flag ${name} gets the type ${type} only together with a default value.`, '/defaultValue');
    return yield* decideInSteps(updateFeature, context, { project, name, description, ...(manifest && { manifest }) });
  },
});

/** Moves a flag to the archive. A flag that is archived already is a conflict. */
export const archiveDeclaredFeature = longCommand({
  name: 'archive-declared-feature',
  input: Type.Object(FlagOfProject),
  *decide(context, { project, name }): Steps<Feature | Rejection> {
    const feature = findManifestFeature(context.draft, project, name);
    if (feature instanceof Rejection) return feature;
    const refusal = yield* decideInSteps(archiveFeatures, context, { project, names: [name] });
    return refusal ?? context.draft.get('features', name) ?? feature;
  },
});

/** The flag of the project. An archived flag is a conflict, as clients of the manifest expect. */
function findManifestFeature(reader: StateReader, project: string, name: string): Feature | Rejection {
  const feature = findFeature(reader, project, name, 'any');
  if (!(feature instanceof Rejection) && feature.archived)
    return conflict(`The flag ${name} is archived. Take it out of the archive first.`);
  return feature;
}
