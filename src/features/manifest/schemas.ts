import Type from 'typebox';
import { Feature, MANIFEST_TYPES } from '../../model/feature.ts';
import { DateTime, Nullable } from '../../model/primitives.ts';
import { answeredFields, writtenFields } from '../shared/entity-fields.ts';

const FlagType = Type.Enum([...MANIFEST_TYPES], { description: 'Type of the values that code gets' });

const FlagName = {
  name: Type.Optional(
    Type.String({ description: 'The key again: flags have no other name. Any other value is refused' }),
  ),
};

/** Contract: `ManifestFlag` of the OpenFeature CLI's API. */
const ManifestFlag = Type.Object(
  {
    key: Type.String({ description: 'Name of the flag' }),
    name: Type.String({ description: 'The key again: flags have no other name' }),
    type: FlagType,
    ...answeredFields(Feature, 'description'),
    defaultValue: Type.Unknown({
      description: 'Value that code uses if it gets no other value, in the type of the flag',
    }),
  },
  { $id: 'manifestFlag' },
);

export const Manifest = Type.Object(
  { flags: Type.Array(ManifestFlag, { description: 'The flags of the project, without archived flags' }) },
  { $id: 'manifest' },
);

export const WrittenManifestFlag = Type.Object(
  { flag: ManifestFlag, updatedAt: Type.String({ ...DateTime, description: 'When the flag was last changed' }) },
  { $id: 'writtenManifestFlag' },
);

export const ArchivedManifestFlag = Type.Object(
  {
    message: Type.String({ description: 'Says how the flag can be used again' }),
    archivedAt: Nullable(DateTime),
  },
  { $id: 'archivedManifestFlag' },
);

const { name: Key } = writtenFields(Feature, 'name');

export const NewManifestFlag = Type.Object(
  {
    key: Key,
    ...FlagName,
    type: FlagType,
    ...writtenFields(Feature, 'description?'),
    defaultValue: Type.Unknown({ description: 'A value of the type. It does not change what SDKs get' }),
  },
  { $id: 'newManifestFlag' },
);

export const ManifestFlagChange = Type.Object(
  {
    key: Type.String({ description: 'Must be the key in the path' }),
    ...FlagName,
    type: FlagType,
    ...writtenFields(Feature, 'description?'),
    defaultValue: Type.Optional(
      Type.Unknown({ description: 'A value of the type. If it is missing, the default value stays as it is' }),
    ),
  },
  { $id: 'manifestFlagChange' },
);
