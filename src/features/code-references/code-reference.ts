import Type from 'typebox';
import { collection } from '../../model/collection.ts';
import type { EntityOf } from '../../model/entity.ts';
import { DateTime, Nullable, UrlSafeName } from '../../model/primitives.ts';
import { CODE_REFERENCE_LIMITS } from './limits.ts';

/** Characters that people cannot see are refused. */
const VISIBLE = '^[^\\u0000-\\u001f\\u007f]*$';

/** The last line number that is accepted. */
const LINE_MAX = 100_000_000;

export const RepositoryName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: VISIBLE,
  description: 'Name of the repository, for example `acme/shop`',
});

/** A repository whose code references were reported. Collection `codeRepositories`, key: the name. */
export const CodeRepository = Type.Object({
  name: RepositoryName,
  commit: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: VISIBLE,
      description: 'The commit that was scanned; null: not known',
      answer: 'The commit that was scanned',
    }),
  ),
  branch: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: VISIBLE,
      description: 'The branch that was scanned; null: not known',
      answer: 'The branch that was scanned',
    }),
  ),
  link: Nullable(
    Type.String({
      maxLength: 1_000,
      pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\u0000-\\u0020\\u007f]+$',
      description:
        'Web address of a place, with `{commit}`, `{branch}`, `{path}` and `{line}`; null: places have no links',
      answer: 'Web address of a place, with `{commit}`, `{branch}`, `{path}` and `{line}`',
    }),
  ),
  reportedAt: DateTime,
  reportedBy: Type.String(),
});
export interface CodeRepository extends EntityOf<typeof CodeRepository> {
  /** Size of its references as JSON. */
  readonly bytes: number;
}

export const CodePlace = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: CODE_REFERENCE_LIMITS.codePathLength.max,
      pattern: VISIBLE,
      description: 'Path of the file in the repository',
    }),
    line: Type.Integer({ minimum: 1, maximum: LINE_MAX, description: 'Line number, beginning with 1' }),
  },
  { $id: 'codePlace' },
);

/** Where a repository uses the name of a flag. The flag may not exist. Collection `codeReferences`, key: `codeReferenceKey`. */
export const CodeReference = Type.Object({
  repository: RepositoryName,
  flagName: UrlSafeName,
  places: Type.Array(CodePlace, {
    minItems: 1,
    maxItems: CODE_REFERENCE_LIMITS.codeReferencePlacesOfName.max,
    description: 'The places, as paths with line numbers',
  }),
});
export type CodeReference = EntityOf<typeof CodeReference>;

/** Names of flags contain no slash. */
export function codeReferenceKey(repository: string, flagName: string): string {
  return `${flagName}/${repository}`;
}

const EMPTY_KEY: readonly string[] = [''];

export const codeRepositories = collection({
  schema: 1,
  key: ({ name }: CodeRepository) => name,
  /** All repositories, under the empty key. */
  indexes: { allCodeRepositories: () => EMPTY_KEY },
  weigh: ({ bytes }) => bytes,
});

export const codeReferences = collection({
  schema: 1,
  key: ({ repository, flagName }: CodeReference) => codeReferenceKey(repository, flagName),
  indexes: {
    codeReferencesByFlag: ({ flagName }) => [flagName],
    codeReferencesByRepository: ({ repository }) => [repository],
  },
});

declare module '../../model/collection.ts' {
  interface CollectionTable {
    readonly codeRepositories: typeof codeRepositories;
    readonly codeReferences: typeof codeReferences;
  }
}
