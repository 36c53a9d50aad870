import Type, { type Static } from 'typebox';
import { Constraint } from '../../model/constraint.ts';
import { ContextField } from '../../model/context-field.ts';
import { Feature, Tag } from '../../model/feature.ts';
import { CONTEXT_FIELD_LIMITS } from '../../model/limits/context-fields.ts';
import { MODEL_LIMITS } from '../../model/limits.ts';
import { Nullable, SortOrder, Text, UrlSafeName } from '../../model/primitives.ts';
import { SentStrategy, StrategyParameters } from '../../model/strategy.ts';
import { StrategyVariant, Variant } from '../../model/variant.ts';
import { FLAG_LIMITS } from '../flags/limits.ts';
import { LinkFields } from '../flags/links/commands.ts';
import { Variants } from '../flags/variants/commands.ts';
import { writtenFields } from '../shared/entity-fields.ts';

const Link = Type.Object({
  id: Type.String(),
  url: Type.String(),
  title: Type.Optional(Nullable(Type.String())),
});

const ExportedLegalValues = Type.Array(
  Type.Object({ value: Type.String(), description: Type.Optional(Type.String()) }),
);

/**
 * Selects the flags of an export. If `features` names flags, these flags are exported. Otherwise, all flags that have the tag and belong to the
 * project are exported; a missing tag or project excludes no flag.
 */
export const ExportQuery = Type.Object(
  {
    environment: Type.String({ minLength: 1, description: 'Environment whose configuration is exported' }),
    features: Type.Optional(
      Type.Array(Type.String(), { description: 'Names of the flags; an empty list has the same effect as no list' }),
    ),
    tag: Type.Optional(Type.String({ description: 'A tag’s value, or `type:value`' })),
    project: Type.Optional(Type.String()),
    downloadFile: Type.Optional(
      Type.Boolean({ description: 'Whether the answer has the header that lets browsers save it as a file' }),
    ),
  },
  { $id: 'exportQuery' },
);
export type ExportQuery = Static<typeof ExportQuery>;

/**
 * The complete content of an export. It has only the id and the name of each segment: the segments must exist in the service that imports the export.
 */
export const ExportResult = Type.Object(
  {
    features: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Nullable(Type.String()),
        type: Type.String(),
        project: Type.String(),
        stale: Type.Boolean(),
        impressionData: Type.Boolean(),
        archived: Type.Boolean(),
      }),
    ),
    featureStrategies: Type.Array(
      Type.Object({
        name: Type.String(),
        id: Type.String(),
        featureName: Type.String(),
        title: Nullable(Type.String()),
        parameters: StrategyParameters,
        constraints: Type.Array(Constraint),
        variants: Type.Array(StrategyVariant),
        disabled: Type.Boolean(),
        segments: Type.Array(Type.Integer()),
      }),
    ),
    featureEnvironments: Type.Array(
      Type.Object({
        enabled: Type.Boolean(),
        featureName: Type.String(),
        environment: Type.String(),
        variants: Type.Array(Variant),
        name: Type.String(),
      }),
    ),
    contextFields: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Nullable(Type.String()),
        stickiness: Type.Boolean(),
        sortOrder: Type.Number(),
        legalValues: ExportedLegalValues,
      }),
    ),
    featureTags: Type.Array(
      Type.Object({ featureName: Type.String(), tagType: Type.String(), tagValue: Type.String() }),
    ),
    segments: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
    tagTypes: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Nullable(Type.String()),
        icon: Nullable(Type.String()),
        color: Nullable(Type.String()),
      }),
    ),
    dependencies: Type.Array(
      Type.Object({
        feature: Type.String(),
        dependencies: Type.Array(
          Type.Object({ feature: Type.String(), enabled: Type.Boolean(), variants: Type.Array(Type.String()) }),
        ),
      }),
    ),
    links: Type.Array(Type.Object({ feature: Type.String(), links: Type.Array(Link) })),
  },
  { $id: 'exportResult' },
);
export type ExportResult = Static<typeof ExportResult>;

export const ImportedFeature = Type.Object({
  ...writtenFields(Feature, 'name', 'description?', 'type?'),
  stale: Type.Optional(Nullable(Type.Boolean())),
  impressionData: Type.Optional(Nullable(Type.Boolean())),
  archived: Type.Optional(Nullable(Type.Boolean())),
  project: Type.Optional(
    Type.String({
      description: 'Project of the flag in the export. The import ignores it, and uses the `project` of the request',
    }),
  ),
});

const ImportedStrategy = Type.Object({
  featureName: Type.String(),
  id: Type.Optional(
    Type.String({ description: 'If no strategy has a `sortOrder` and all ids are ULIDs, the ids decide the order' }),
  ),
  ...SentStrategy.properties,
});

const ImportedEnvironment = Type.Object({
  featureName: Type.String(),
  enabled: Type.Boolean(),
  variants: Type.Optional(Nullable(Variants)),
});

const ImportedDependencies = Type.Object({
  feature: Type.String(),
  dependencies: Type.Array(
    Type.Object({
      feature: Type.String(),
      enabled: Type.Optional(Type.Boolean()),
      variants: Type.Optional(Type.Array(Type.String(), { maxItems: FLAG_LIMITS.dependencyVariants.max })),
    }),
    { maxItems: FLAG_LIMITS.featureDependencies.max },
  ),
});

/** An export of this service or of Unleash. Fields that Unleash may leave out are optional. */
export const ImportData = Type.Object(
  {
    features: Type.Array(ImportedFeature),
    featureStrategies: Type.Array(ImportedStrategy),
    featureEnvironments: Type.Optional(Type.Array(ImportedEnvironment)),
    contextFields: Type.Optional(
      Type.Array(
        Type.Object({
          ...writtenFields(ContextField, 'name', 'description?'),
          stickiness: Type.Optional(Nullable(Type.Boolean())),
          sortOrder: Type.Optional(SortOrder),
          legalValues: Type.Optional(Nullable(ContextField.properties.legalValues)),
        }),
        { maxItems: CONTEXT_FIELD_LIMITS.contextFields.max },
      ),
    ),
    featureTags: Type.Optional(
      Type.Array(
        Type.Object({
          featureName: Type.String(),
          tagType: Type.Optional(Type.String()),
          tagValue: Tag.properties.value,
        }),
      ),
    ),
    segments: Type.Optional(Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() }))),
    tagTypes: Type.Optional(
      Type.Array(
        Type.Object({
          name: UrlSafeName,
          description: Type.Optional(Nullable(Text)),
          icon: Type.Optional(Nullable(Type.String({ maxLength: MODEL_LIMITS.titleLength.max }))),
          color: Type.Optional(Nullable(Type.String({ maxLength: MODEL_LIMITS.titleLength.max }))),
        }),
        { maxItems: FLAG_LIMITS.tagTypes.max },
      ),
    ),
    dependencies: Type.Optional(Type.Array(ImportedDependencies)),
    links: Type.Optional(
      Type.Array(
        Type.Object({
          feature: Type.String(),
          links: Type.Array(Type.Object(LinkFields), { maxItems: FLAG_LIMITS.featureLinks.max }),
        }),
      ),
    ),
  },
  { $id: 'importData' },
);
export type ImportData = Static<typeof ImportData>;

export const ImportBody = Type.Object(
  {
    environment: Type.String({ minLength: 1, description: 'Environment that gets the configuration' }),
    project: Type.Optional(Type.String({ minLength: 1, default: 'default', description: 'Project to import into' })),
    data: ImportData,
  },
  { $id: 'importFeatures' },
);

const ImportProblem = Type.Object({ message: Type.String(), affectedItems: Type.Array(Type.String()) });

export const ImportResult = Type.Object(
  {
    imported: Type.Integer({ description: 'Number of flags that were imported' }),
    warnings: Type.Array(ImportProblem, { description: 'What the import left out' }),
  },
  { $id: 'importResult' },
);

export const ImportValidation = Type.Object(
  {
    errors: Type.Array(ImportProblem, { description: 'Errors. As long as there is one, nothing is imported' }),
    warnings: Type.Array(ImportProblem, { description: 'What the import would leave out or do differently' }),
    permissions: Type.Array(ImportProblem, {
      description: 'Permissions that the import needs and the caller does not have',
    }),
  },
  { $id: 'importValidation' },
);
