import Type, { type Static } from 'typebox';
import { type CallerInState, isHidden, permissionProblem } from '../../../access/permission-problem.ts';
import { conflict, notAllowed, notFound, Rejection } from '../../../base/rejection.ts';
import { isSameJson } from '../../../base/same-json.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import type { StateReader } from '../../../state/collections.ts';
import { deletedUserProblem } from '../../people/own-user.ts';
import { UserId } from '../../people/users/commands.ts';
import { writtenFields } from '../../shared/entity-fields.ts';
import { limitRejection } from '../../shared/limit-checks.ts';
import { findProject } from '../../shared/lookup.ts';
import { suppliedFields } from '../../shared/supplied-fields.ts';
import { jsonBytes, personalBytesProblem } from '../personal-bytes.ts';
import { ContextSet } from './context-set.ts';

export const NewSetFields = writtenFields(ContextSet, 'name', 'project?', 'contexts');
export const SetChanges = writtenFields(ContextSet, 'name?', 'project?', 'contexts?');
type SetFields = Partial<Static<ReturnType<typeof Type.Object<typeof SetChanges>>>>;

const SetReference = { userId: UserId, id: ContextSet.properties.id };

export const createContextSet = command({
  name: 'create-context-set',
  input: Type.Object({ userId: UserId, ...NewSetFields }),
  decide(context, { userId, ...fields }): ContextSet | Rejection {
    const { draft, now } = context;
    const problem = deletedUserProblem(draft, userId);
    if (problem) return problem;
    const id = draft.next('contextSets');
    const times = { createdAt: now, updatedAt: now };
    const empty: ContextSet = { id, userId, name: '', project: null, contexts: [], bytes: 0, ...times };
    return putSet(context, undefined, changedSet(empty, suppliedFields(SetChanges, fields as SetFields)));
  },
});

/** Changes only the specified properties of a set. Only its owner may share it, or end the sharing. */
export const updateContextSet = command({
  name: 'update-context-set',
  input: Type.Object({ ...SetReference, ...SetChanges }),
  decide(context, { userId, id, ...fields }): ContextSet | Rejection {
    const before = findSet(context, userId, id);
    if (before instanceof Rejection) return before;
    const after = changedSet(before, suppliedFields(SetChanges, fields as SetFields));
    if (after.project !== before.project && before.userId !== userId)
      return notAllowed('Only the owner of a context set can share it, or end the sharing.', '/project');
    return putSet(context, before, { ...after, updatedAt: context.now });
  },
});

/** Deletes a set of the user, or a set that is shared with a project in which the caller may change flags. */
export const deleteContextSet = command({
  name: 'delete-context-set',
  input: Type.Object(SetReference),
  decide(context, { userId, id }) {
    const found = findSet(context, userId, id);
    if (found instanceof Rejection) return found;
    const refusal = found.userId === userId ? undefined : sharingProblem(context, found);
    if (refusal) return refusal;
    context.draft.remove('contextSets', String(id));
    return undefined;
  },
});

/** The set, if the caller may read it: own sets, and sets that are shared with a project that the caller sees. Other sets are reported as missing. */
export function findSet(reader: CallerInState, userId: number, id: number): ContextSet | Rejection {
  const set = reader.draft.get('contextSets', String(id));
  const isReadable = set && (set.userId === userId || isShared(reader, set));
  return isReadable ? set : notFound(`There is no context set with the id ${id}.`);
}

/** Whether the set is shared with a project that exists and that the caller sees. */
export function isShared(reader: CallerInState, { project }: ContextSet): boolean {
  return project !== null && !(findProject(reader.draft, project) instanceof Rejection) && !isHidden(reader, project);
}

/** The sets of a user, in the order of creation. */
export function setsOf(reader: StateReader, userId: number): ContextSet[] {
  return inOrder(reader.lookup('contextSetsByUser', String(userId)));
}

/** The sets that are shared with a project, in the order of creation. */
export function setsOfProject(reader: StateReader, project: string): ContextSet[] {
  return inOrder(reader.lookup('contextSetsByProject', project));
}

function inOrder(sets: Iterable<ContextSet>): ContextSet[] {
  return [...sets].sort((left, right) => left.id - right.id);
}

/** Ends the sharing with a deleted project: a new project with the same id must not inherit the sets. */
export function* endSharingWith({ draft }: CommandContext, project: string): Steps<void> {
  for (const set of [...draft.lookup('contextSetsByProject', project)]) {
    draft.put('contextSets', { ...set, project: null });
    yield;
  }
}

function changedSet(set: ContextSet, { name = set.name, project = set.project, contexts }: SetFields): ContextSet {
  const isChanged = contexts !== undefined && !isSameJson(contexts, set.contexts);
  const content = isChanged ? { contexts, bytes: jsonBytes(contexts) } : {};
  return { ...set, name: name.trim(), project, ...content };
}

function putSet(context: CommandContext, before: ContextSet | undefined, after: ContextSet): ContextSet | Rejection {
  const { draft } = context;
  const problem = sharingProblem(context, after) ?? nameProblem(draft, after) ?? sizeProblem(context, before, after);
  if (problem) return problem;
  draft.put('contextSets', after);
  return after;
}

/** Returns a rejection if the set is shared with a project that does not exist or in which the caller may not change flags. */
function sharingProblem(context: CommandContext, { project }: ContextSet): Rejection | undefined {
  if (project === null) return undefined;
  const found = findProject(context.draft, project);
  if (found instanceof Rejection) return found;
  if (isHidden(context, project)) return notFound(`The project ${project} does not exist.`);
  return permissionProblem(context, ['UPDATE_FEATURE'], project);
}

function nameProblem(reader: StateReader, { id, userId, name }: ContextSet): Rejection | undefined {
  const isTaken = setsOf(reader, userId).some((set) => set.name === name && set.id !== id);
  return isTaken ? conflict(`The owner has a context set named ${name} already.`) : undefined;
}

function sizeProblem(context: CommandContext, before: ContextSet | undefined, after: ContextSet) {
  const { draft, limits } = context;
  const added = after.bytes - (before?.bytes ?? 0);
  const { project, bytes, name } = after;
  if (bytes > limits.contextSetBytes)
    return limitRejection(`The context set ${name}`, 'contextSetBytes', bytes, limits);
  const ofUser = draft.sum('contextSetsByUser', String(after.userId)) + added;
  if (added > 0 && ofUser > limits.contextSetBytesOfUser)
    return limitRejection('', 'contextSetBytesOfUser', ofUser, limits);
  if (project !== null && project !== before?.project) {
    const count = draft.count('contextSetsByProject', project) + 1;
    if (count > limits.contextSetsOfProject)
      return limitRejection(`The project ${project}`, 'contextSetsOfProject', count, limits);
  }
  return personalBytesProblem(context, added);
}
