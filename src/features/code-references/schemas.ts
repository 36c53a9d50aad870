import Type from 'typebox';
import { answeredFields } from '../shared/entity-fields.ts';
import { CodePlace, CodeReference, CodeRepository } from './code-reference.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

const repositoryFields = answeredFields(
  CodeRepository,
  ...(['name', 'commit', 'branch', 'link', 'reportedAt', 'reportedBy'] as const),
);

const CodeRepositorySchema = Type.Object(
  {
    ...repositoryFields,
    flags: count('Number of flags in its code that the caller may see'),
    references: count('Number of places in its code that use these flags'),
    unknownFlags: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'Number of names in its code that no flag has; null if the caller does not see all projects',
    }),
  },
  { $id: 'codeRepository' },
);

export const CodeRepositoriesSchema = Type.Object(
  { repositories: Type.Array(CodeRepositorySchema, { description: 'The repositories, sorted by name' }) },
  { $id: 'codeRepositories' },
);

export const ReportedReferencesSchema = Type.Object(
  {
    ...repositoryFields,
    names: count('Number of different names of flags that were stored'),
    references: count('Number of places that were stored'),
  },
  { $id: 'reportedCodeReferences' },
);

const total = count('Number of repositories that reported their references: with 0, missing references mean nothing');

export const FlagReferencesSchema = Type.Object(
  {
    repositoryCount: total,
    repositories: Type.Array(
      Type.Object({ ...repositoryFields, places: Type.Array(CodePlace) }, { $id: 'codeReferencesOfRepository' }),
      { description: 'The repositories whose code uses the flag, sorted by name' },
    ),
  },
  { $id: 'codeReferences' },
);

export const UnusedFlagsSchema = Type.Object(
  {
    repositoryCount: total,
    flags: Type.Array(Type.Object({ name: Type.String(), project: Type.String() }, { $id: 'unusedFlag' }), {
      description: 'The flags, without archived ones; empty if no repository reported its references',
    }),
  },
  { $id: 'unusedFlags' },
);

const UnknownName = Type.Object(
  {
    name: answeredFields(CodeReference, 'flagName').flagName,
    repositories: Type.Array(
      Type.Object(
        { ...answeredFields(CodeReference, 'repository'), references: count('Number of places'), first: CodePlace },
        { $id: 'unknownFlagInRepository' },
      ),
      { description: 'The repositories whose code uses the name, sorted by name' },
    ),
  },
  { $id: 'unknownFlagInCode' },
);

export const UnknownInCodeSchema = Type.Object(
  {
    isComplete: Type.Boolean({ description: 'False if the caller does not see all projects: then the list is empty' }),
    unknownFlags: Type.Array(UnknownName, { description: 'The names, sorted' }),
  },
  { $id: 'unknownFlagsInCode' },
);
