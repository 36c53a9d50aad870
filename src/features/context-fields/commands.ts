import Type, { type Static } from 'typebox';
import { type CallerInState, isHidden } from '../../access/permission-problem.ts';
import { conflict, invalid, notFound, Rejection } from '../../base/rejection.ts';
import { type CommandContext, command } from '../../engine/command.ts';
import { ContextField, LegalValue } from '../../model/context-field.ts';
import type { Permission } from '../../model/permission.ts';
import { NameReference } from '../../model/primitives.ts';
import type { StateReader } from '../../state/collections.ts';
import { writtenFields } from '../shared/entity-fields.ts';
import { findProject } from '../shared/lookup.ts';
import { suppliedFields } from '../shared/supplied-fields.ts';
import { removalBy, type UndoRule, undoOfEdits } from '../shared/undoing.ts';

export const ContextFieldFields = writtenFields(
  ContextField,
  'description?',
  'stickiness?',
  'sortOrder?',
  'legalValues?',
);

/** If the input has a project, the field must belong to this project. A field of another project, or of all projects, is then not found. */
const InProject = { project: Type.Optional(NameReference) };

export const ContextFieldInput = Type.Object({
  name: ContextField.properties.name,
  ...ContextFieldFields,
  ...InProject,
});
export type ContextFieldInput = Static<typeof ContextFieldInput>;

/** Sort order of a field that is created without one: after the built-in fields. */
const DEFAULT_SORT_ORDER = 10;

export const createContextField = command({
  name: 'create-context-field',
  input: ContextFieldInput,
  decide({ draft, now, emit }, input) {
    const project = input.project === undefined ? undefined : findProject(draft, input.project);
    if (project instanceof Rejection) return project;
    const problem = contextFieldNameProblem(draft, input.name) ?? legalValuesProblem(input.legalValues);
    if (problem) return problem;
    const field: ContextField = {
      name: input.name,
      description: input.description ?? null,
      stickiness: input.stickiness ?? false,
      sortOrder: input.sortOrder ?? DEFAULT_SORT_ORDER,
      legalValues: pickLegalValues(input.legalValues ?? []),
      createdAt: now,
      ...(project && { project: project.id }),
    };
    draft.put('contextFields', field);
    emit({ type: 'context-field-created', project: field.project, data: field });
    return field;
  },
});

/** Changes only the specified properties. */
export const updateContextField = command({
  name: 'update-context-field',
  input: Type.Object({ name: NameReference, ...ContextFieldFields, ...InProject }),
  decide(context, { name, project, ...rest }) {
    const before = findContextField(context, name, project);
    if (before instanceof Rejection) return before;
    const problem = legalValuesProblem(rest.legalValues);
    if (problem) return problem;
    const { legalValues = before.legalValues, ...others } = suppliedFields(ContextFieldFields, rest);
    return replace(context, before, { ...before, ...others, legalValues: pickLegalValues(legalValues) });
  },
});

/** Adds a legal value, or replaces the description of an existing one. */
export const setLegalValue = command({
  name: 'set-legal-value',
  input: Type.Object({ name: NameReference, legalValue: LegalValue, ...InProject }),
  decide(context, input) {
    const before = findContextField(context, input.name, input.project);
    if (before instanceof Rejection) return before;
    const legalValue = suppliedFields(LegalValue.properties, input.legalValue);
    const exists = before.legalValues.some(({ value }) => value === legalValue.value);
    const legalValues = exists
      ? before.legalValues.map((entry) => (entry.value === legalValue.value ? legalValue : entry))
      : [...before.legalValues, legalValue];
    return replace(context, before, { ...before, legalValues });
  },
});

/** Removes a legal value. Constraints that use the value do not change. */
export const removeLegalValue = command({
  name: 'remove-legal-value',
  input: Type.Object({ name: NameReference, value: LegalValue.properties.value, ...InProject }),
  decide(context, input) {
    const before = findContextField(context, input.name, input.project);
    if (before instanceof Rejection) return before;
    const legalValues = before.legalValues.filter(({ value }) => value !== input.value);
    if (legalValues.length === before.legalValues.length) {
      return notFound(`The context field ${input.name} does not have the legal value ${input.value}.`);
    }
    return replace(context, before, { ...before, legalValues });
  },
});

/** Deletes a field. Constraints on the field stay and work as before, because evaluation does not use the field. */
export const deleteContextField = command({
  name: 'delete-context-field',
  input: Type.Object({ name: NameReference, ...InProject }),
  decide(context, { name, project }) {
    const field = findContextField(context, name, project);
    if (field instanceof Rejection) return field;
    context.draft.remove('contextFields', name);
    context.emit({ type: 'context-field-deleted', project: field.project, preData: field });
    return undefined;
  },
});

/**
 * Returns a field, or a rejection. If `project` is specified, the field must belong to this project. Otherwise the field may belong to all projects,
 * or to any project that the caller may see.
 */
export function findContextField(context: CallerInState, name: string, project?: string): ContextField | Rejection {
  const owningProject = project === undefined ? undefined : findProject(context.draft, project);
  if (owningProject instanceof Rejection) return owningProject;
  const field = context.draft.get('contextFields', name);
  const isFound = project === undefined ? !isHidden(context, field?.project ?? null) : field?.project === project;
  if (field && isFound) return field;
  return notFound(
    `The context field ${name} does not exist${project === undefined ? '' : ` in the project ${project}`}.`,
  );
}

/** Returns a rejection if a context field of any project already has the name: constraints refer to fields only by name. */
export function contextFieldNameProblem(reader: StateReader, name: string): Rejection | undefined {
  return reader.get('contextFields', name) ? conflict(`A context field named ${name} already exists.`) : undefined;
}

/** Returns the legal values with their known properties only. */
export function pickLegalValues(legalValues: readonly LegalValue[]): LegalValue[] {
  return legalValues.map((legalValue) => suppliedFields(LegalValue.properties, legalValue));
}

/** Returns a rejection if a legal value is listed twice. */
export function legalValuesProblem(legalValues: readonly LegalValue[] = []): Rejection | undefined {
  const listedValues = new Set<string>();
  for (const [index, { value }] of legalValues.entries()) {
    if (listedValues.has(value)) return invalid(`The legal value ${value} is listed twice.`, `/legalValues/${index}`);
    listedValues.add(value);
  }
  return undefined;
}

function replace({ draft, emit }: CommandContext, before: ContextField, after: ContextField): ContextField {
  draft.put('contextFields', after);
  emit({ type: 'context-field-updated', project: after.project, data: after, preData: before });
  return after;
}

/** A field that belongs to a project may also be edited with the permission for this project. */
const needed =
  (inProject: Permission, everywhere: Permission) =>
  ({ project }: ContextField): readonly Permission[] =>
    project === undefined ? [everywhere] : [inProject, everywhere];

export const undoContextField: UndoRule<ContextField> = undoOfEdits({
  collection: 'contextFields',
  shape: ContextField,
  place: ({ project }) => ({ project }),
  needs: {
    create: needed('CREATE_PROJECT_CONTEXT', 'CREATE_CONTEXT_FIELD'),
    update: needed('UPDATE_PROJECT_CONTEXT', 'UPDATE_CONTEXT_FIELD'),
    remove: needed('DELETE_PROJECT_CONTEXT', 'DELETE_CONTEXT_FIELD'),
  },
  events: { created: 'context-field-created', updated: 'context-field-updated' },
  problem({ draft }, { project, legalValues }) {
    const owner = project === undefined ? undefined : findProject(draft, project);
    return owner instanceof Rejection ? owner : legalValuesProblem(legalValues);
  },
  remove: removalBy(deleteContextField, ({ name, project }) => ({ name, project })),
});
