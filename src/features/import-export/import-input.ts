import Type, { type Static } from 'typebox';
import { Feature, Tag } from '../../model/feature.ts';
import { NameReference, Nullable, Text, UrlSafeName } from '../../model/primitives.ts';
import { StrategyInput } from '../../model/strategy.ts';
import { Variant } from '../../model/variant.ts';
import { ContextFieldInput } from '../context-fields/commands.ts';
import { LinkFields } from '../flags/links/commands.ts';
import { writtenFields } from '../shared/entity-fields.ts';

const { name, title, parameters, constraints, segments, variants } = StrategyInput.properties;

/** A strategy. Its segments are the ids that they have in the export. */
const ImportedStrategy = Type.Required(
  Type.Object({ name, title, disabled: Type.Boolean(), parameters, constraints, segments, variants }),
);

/** A flag of an export, with everything that belongs to it. */
export const ImportedFlag = Type.Object({
  ...writtenFields(Feature, 'name', 'type?', 'description', 'stale', 'impressionData'),
  /** In the order of evaluation. */
  strategies: Type.Array(ImportedStrategy),
  /** The switch and the variants of the flag in the environment; left out if the export does not contain them. */
  setting: Type.Optional(Type.Object({ enabled: Type.Boolean(), variants: Type.Array(Variant) })),
  tags: Type.Array(Tag),
  dependencies: Type.Array(
    Type.Object({ feature: Type.String(), enabled: Type.Boolean(), variants: Type.Array(Type.String()) }),
  ),
  links: Type.Optional(Type.Array(Type.Object(LinkFields))),
});
export type ImportedFlag = Static<typeof ImportedFlag>;

export const ImportInput = Type.Object({
  project: NameReference,
  environment: NameReference,
  /** Each name occurs only once. */
  flags: Type.Array(ImportedFlag),
  /** The segments of the export, with their ids in the export. */
  segments: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
  contextFields: Type.Array(ContextFieldInput),
  tagTypes: Type.Array(
    Type.Object({
      name: UrlSafeName,
      description: Type.Optional(Nullable(Text)),
      icon: Type.Optional(Nullable(Type.String())),
      color: Type.Optional(Nullable(Type.String())),
    }),
  ),
  /** A flag that the import would not change gets no event. Otherwise each flag gets one, as in Unleash. */
  keepsUnchanged: Type.Optional(Type.Boolean()),
  /** Flags of the export that were left out, because a part of them cannot be read. */
  leftOut: Type.Optional(Type.Array(Type.Object({ name: Type.String(), reason: Type.String() }))),
  /** Problems of the export that do not depend on the state. */
  problems: Type.Array(
    Type.Object({ message: Type.String(), item: Type.String(), isConflict: Type.Optional(Type.Boolean()) }),
  ),
});
export type ImportInput = Static<typeof ImportInput>;
