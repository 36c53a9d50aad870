import { fixed, limit } from '../../model/limits.ts';

export const CODE_REFERENCE_LIMITS = {
  codeRepositories: limit('repositories with code references', 500, 5_000, 'CODE_REPOSITORIES_LIMIT', {
    counts: 'codeRepositories',
  }),
  codeReferences: limit(
    'names of flags in code references, of all repositories',
    100_000,
    500_000,
    'CODE_REFERENCES_LIMIT',
    {
      counts: 'codeReferences',
    },
  ),
  codeReferenceNames: fixed('names of flags in the code references of a repository', 5_000),
  codeReferencePlaces: fixed('places in the code references of a repository', 20_000),
  codeReferencePlacesOfName: fixed('places of one name of a flag in the code references of a repository', 1_000),
  codePathLength: fixed('characters of a path of a code reference', 500),
  codeReferenceBytesOfRepository: fixed('bytes of the code references of a repository, as JSON', 4_000_000),
  codeReferenceBytes: limit(
    'bytes of the code references of all repositories, as JSON',
    100_000_000,
    500_000_000,
    'CODE_REFERENCE_BYTES_LIMIT',
  ),
};
