import Type, { type Static } from 'typebox';
import { invalid, notFound, Rejection } from '../../base/rejection.ts';
import { isSameJson } from '../../base/same-json.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, longCommand } from '../../engine/command.ts';
import type { Limits } from '../../model/limits.ts';
import { writtenFields } from '../shared/entity-fields.ts';
import { limitRejection } from '../shared/limit-checks.ts';
import {
  CodeReference,
  CodeRepository,
  codeReferenceKey,
  type CodeReference as Reference,
  RepositoryName,
} from './code-reference.ts';
import { CODE_REFERENCE_LIMITS } from './limits.ts';

export const ReferencesFields = {
  ...writtenFields(CodeRepository, 'commit?', 'branch?', 'link?'),
  references: Type.Array(Type.Object(writtenFields(CodeReference, 'flagName', 'places'), { $id: 'newCodeReference' }), {
    maxItems: CODE_REFERENCE_LIMITS.codeReferenceNames.max,
    description: 'One item for each name of a flag in the code, also for names of flags that do not exist',
  }),
};

const ReferencesInput = Type.Object({ repository: RepositoryName, ...ReferencesFields });
type ReferencesInput = Static<typeof ReferencesInput>;

/** Replaces all references of a repository. A repository that is new is created. */
export const replaceCodeReferences = longCommand({
  name: 'replace-code-references',
  input: ReferencesInput,
  *decide(context, { repository: name, commit = null, branch = null, link = null, references }: ReferencesInput) {
    const { draft, now, by, limits } = context;
    const measured = yield* measuredReferences(name, references, limits);
    if (measured instanceof Rejection) return measured;
    const { byName, bytes } = measured;
    const before = draft.get('codeRepositories', name);
    const total = draft.sum('allCodeRepositories', '') + bytes - (before?.bytes ?? 0);
    if (total > limits.codeReferenceBytes && bytes > (before?.bytes ?? 0))
      return limitRejection('', 'codeReferenceBytes', total, limits);
    yield* putReferences(context, name, byName);
    const repository: CodeRepository = { name, commit, branch, link, reportedAt: now, reportedBy: by.name, bytes };
    draft.put('codeRepositories', repository);
    if (!before) context.emit({ type: 'code-repository-created', data: { name, commit, branch, link } });
    return repository;
  },
});

/** Deletes a repository with its references. */
export const deleteCodeRepository = longCommand({
  name: 'delete-code-repository',
  input: Type.Object({ repository: RepositoryName }),
  *decide(context, { repository: name }): Steps<Rejection | undefined> {
    const { draft, emit } = context;
    const before = draft.get('codeRepositories', name);
    if (!before) return notFound(`There are no code references of the repository ${name}.`);
    yield* putReferences(context, name, new Map());
    draft.remove('codeRepositories', name);
    const { commit, branch, link } = before;
    emit({ type: 'code-repository-deleted', preData: { name, commit, branch, link } });
    return undefined;
  },
});

interface Measured {
  readonly byName: ReadonlyMap<string, Reference>;
  /** Size of the references as JSON. */
  readonly bytes: number;
}

/** The references by name, or a rejection if a name is repeated or the references exceed a limit of a repository. */
function* measuredReferences(
  repository: string,
  references: ReferencesInput['references'],
  limits: Limits,
): Steps<Measured | Rejection> {
  const byName = new Map<string, Reference>();
  let places = 0;
  let bytes = 0;
  for (const { flagName, places: placesOfName } of references) {
    if (byName.has(flagName))
      return invalid(`The name ${flagName} occurs twice: list all of its places in one item.`, '/references');
    const reference: Reference = {
      repository,
      flagName,
      places: placesOfName.map(({ path, line }) => ({ path, line })),
    };
    byName.set(flagName, reference);
    places += placesOfName.length;
    bytes += Buffer.byteLength(JSON.stringify(reference));
    yield;
  }
  const subject = `The repository ${repository}`;
  if (places > limits.codeReferencePlaces) return limitRejection(subject, 'codeReferencePlaces', places, limits);
  if (bytes > limits.codeReferenceBytesOfRepository)
    return limitRejection(subject, 'codeReferenceBytesOfRepository', bytes, limits);
  return { byName, bytes };
}

/** Stores these references and removes all others of the repository. Equal references are not stored again: most reports change few. */
function* putReferences(
  { draft }: CommandContext,
  repository: string,
  byName: ReadonlyMap<string, Reference>,
): Steps<void> {
  for (const { flagName } of [...draft.lookup('codeReferencesByRepository', repository)]) {
    if (!byName.has(flagName)) draft.remove('codeReferences', codeReferenceKey(repository, flagName));
    yield;
  }
  for (const [flagName, reference] of byName) {
    const before = draft.get('codeReferences', codeReferenceKey(repository, flagName));
    if (!before || !isSameJson(before, reference)) draft.put('codeReferences', reference);
    yield;
  }
}
