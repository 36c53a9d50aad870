import Type, { type Static, type TObject, type TOptional, type TProperties, type TSchema } from 'typebox';
import { conflict, notFound, Rejection } from '../../base/rejection.ts';
import { isSameJson } from '../../base/same-json.ts';
import { type Command, type CommandContext, command } from '../../engine/command.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { EntityOf } from '../../model/entity.ts';
import type { EventType } from '../../model/event.ts';
import type { RootPermission } from '../../model/permission.ts';
import { NameReference } from '../../model/primitives.ts';
import type { Collections, OwnKeyName, StateReader } from '../../state/collections.ts';
import type { Services } from '../services.ts';
import type { EditedKind } from './edited.ts';
import { type Operations, pascal, resourceEndpoints } from './resource-routes.ts';
import { answerSchema, inputSchema, mapFields, type Optionals, statedFields } from './resource-schemas.ts';
import { removalBy, type UndoRule, undoOfEdits } from './undoing.ts';

type EntityName = OwnKeyName;

/** A prefix of event types: `banner`, if the event types `banner-created`, `banner-updated` and `banner-deleted` exist. */
type EventPrefix = Prefix<'created'> & Prefix<'updated'> & Prefix<'deleted'>;
type Prefix<Verb extends string, T = EventType> = T extends `${infer P}-${Verb}` ? P : never;

/** A key that is a number is assigned by the service, any other key is chosen by the client. */
type NamedKey<F extends TProperties, K extends keyof F> = Static<F[K]> extends number ? K : never;

/** The fields that a client sends to create an entity. Fields with a default are optional; fields that the service sets are not accepted. */
type NewFields<F extends TProperties, K extends keyof F, D, S extends keyof F> = {
  [Name in Exclude<keyof F, NamedKey<F, K> | S>]: Name extends keyof D ? TOptional<F[Name]> : F[Name];
};

/** The fields that a client may send to change an entity: any field except the key and the fields that the service sets. */
type Changes<F extends TProperties, K extends keyof F, S extends keyof F> = Optionals<Omit<F, K | S>>;

type Inputs<F extends TProperties> = Static<TObject<F>>;
type KeyInput<F extends TProperties, K extends keyof F> = { readonly [Name in K]: Static<F[Name]> };

/** The statement of a resource that clients create, read, update and delete: its fields and its rules. */
interface Statement<C extends EntityName, F extends TProperties, K extends keyof F & string, D, S extends keyof F> {
  readonly collection: C;
  /** Singular, such as `tag type`. Names of commands, bodies, operations and errors are derived from this noun. */
  readonly noun: string;
  readonly event: EventPrefix;
  readonly tag: string;
  readonly path: string;
  /** If clients can read one entity: its kind, for tags (`edited.ts`). */
  readonly edits?: EditedKind;
  readonly key: K;
  /** The stored fields, in this order. `resource-schemas.ts` explains `description` and `answer` of a field. */
  readonly entity: TObject<F> & (EntityOf<TObject<F>> extends Collections[C] ? unknown : never);
  /** Defaults of the fields that a client may leave out. */
  readonly defaults: D & Partial<Inputs<F>>;
  /** Fields that the service sets when it creates an entity; clients cannot write them. */
  readonly setByService?: { readonly [Name in S]: (context: CommandContext) => Static<F[Name]> };
  /** The fields of the answer, if they differ from the fields of the entity. */
  readonly answer?: (fields: { readonly [Name in keyof F]: TSchema }) => TProperties;
  /** Returns the entity as it appears in answers. */
  readonly present?: (entity: Collections[C]) => object;
  /** The text of the 404 for a key that does not exist. */
  readonly missingText?: (key: Static<F[K]>) => string;
  /** The text of the 409 for a key that is in use. */
  readonly takenText?: (key: Static<F[K]>) => string;
  /** Checks the fields that a client sent. Returns a rejection if they are invalid. */
  readonly check?: (written: Partial<Inputs<F>>) => Rejection | undefined;
  /** Returns a rejection if the entity can be neither changed nor deleted. */
  readonly protect?: (entity: Collections[C]) => Rejection | undefined;
  /** Returns a rejection if the entity cannot be deleted. Otherwise deletes the data that depends on the entity. */
  readonly beforeRemove?: (context: CommandContext, entity: Collections[C]) => Rejection | undefined;
  /** Why its creation cannot be undone: the removal would also remove other entities. */
  readonly inUse?: (context: CommandContext, entity: Collections[C]) => Rejection | undefined;
  readonly operations: Operations<Collections[C]>;
}

interface Resource<E, F extends TProperties, K extends keyof F, New extends TProperties, Changed extends TProperties> {
  readonly newFields: New;
  readonly changes: Changed;
  readonly answer: TObject;
  readonly createBody: TObject<New>;
  readonly create: Command<Inputs<New>, E>;
  readonly update: Command<Inputs<Changed> & KeyInput<F, K>, E>;
  readonly remove: Command<KeyInput<F, K>, undefined>;
  readonly endpoints: readonly Endpoint<Services>[];
  find(reader: StateReader, key: Static<F[K]>): E | Rejection;
  /** Returns a rejection if the key is in use. */
  takenProblem(reader: StateReader, key: Static<F[K]>): Rejection | undefined;
  present(entity: E): object;
  /** Replaces the stored entity `before` by `after` and records the change as an update. */
  replace(context: CommandContext, before: E, after: E): E;
  /** How its changes are undone. */
  readonly undo: UndoRule<E>;
}

/** The statement of any resource, for code that does not depend on the types of the resource. */
type AnyStatement = Omit<Statement<EntityName, TProperties, string, object, never>, 'entity' | 'setByService'> & {
  readonly entity: TObject;
  readonly setByService?: Readonly<Record<string, (context: CommandContext) => unknown>>;
};

type Entity = Readonly<Record<string, unknown>>;

/** States a resource. Its schemas, commands and endpoints are derived from the statement. */
export function resource<
  C extends EntityName,
  F extends TProperties,
  K extends keyof F & string,
  D extends object,
  S extends keyof F & string = never,
>(statement: Statement<C, F, K, D, S>): Resource<Collections[C], F, K, NewFields<F, K, D, S>, Changes<F, K, S>> {
  const any = statement as unknown as AnyStatement;
  const schemas = schemasOf(any);
  const store = storeOf(any);
  const present = any.present ?? ((stored: Entity) => statedFields(any.entity.properties, stored));
  const commands = commandsOf(any, schemas, store);
  const parts = { ...schemas, ...store, present, ...commands, undo: undoOf(any, commands.remove) };
  return { ...parts, endpoints: resourceEndpoints({ statement: any, ...parts }) } as never;
}

function isNumbered({ entity, key }: AnyStatement): boolean {
  return (entity.properties[key] as { readonly type?: string }).type === 'integer';
}

type Schemas = ReturnType<typeof schemasOf>;

function schemasOf(statement: AnyStatement) {
  const { entity, key, noun, defaults, setByService = {}, answer = (fields) => fields, operations } = statement;
  const defaultValues = defaults as Readonly<Record<string, unknown>>;
  const isWritten = (name: string) => !(name in setByService || (name === key && isNumbered(statement)));
  const written = Object.fromEntries(Object.entries(entity.properties).filter(([name]) => isWritten(name)));
  const inputs = mapFields(written, (schema, name) => inputSchema(schema, defaultValues[name]));
  const newFields = mapFields(inputs, (schema, name) => (name in defaultValues ? Type.Optional(schema) : schema));
  const { [key]: _key, ...changes } = mapFields(inputs, (schema) => Type.Optional(schema));
  const answers = mapFields(entity.properties, (schema, name) =>
    isWritten(name) ? answerSchema(schema) : inputSchema(schema, null),
  );
  const name = pascal(noun);
  return {
    isNumbered: isNumbered(statement),
    params: { [key]: isNumbered(statement) ? Type.Integer({ minimum: 1 }) : Type.String() },
    newFields,
    changes,
    answer: Type.Object(answer(answers), { $id: name.charAt(0).toLowerCase() + name.slice(1) }),
    createBody: Type.Object({ ...newFields, ...operations.create?.body }, { $id: `create${name}` }),
    updateBody: Type.Object({ ...changes, ...operations.update?.body }, { $id: `update${name}` }),
  };
}

type Store = ReturnType<typeof storeOf>;

/** Functions that find and replace entities of the resource. */
function storeOf(statement: AnyStatement) {
  const { collection, noun, event } = statement;
  const {
    missingText = (key) =>
      isNumbered(statement) ? `There is no ${noun} with the id ${key}.` : `The ${noun} ${key} does not exist.`,
    takenText = (key) => `A ${noun} named ${key} already exists.`,
  } = statement;
  return {
    all: (reader: StateReader) => [...reader.values(collection)] as object[],
    find: (reader: StateReader, key: unknown) =>
      (reader.get(collection, String(key)) as Entity | undefined) ?? notFound(missingText(key as never)),
    takenProblem: (reader: StateReader, key: unknown) =>
      reader.get(collection, String(key)) ? conflict(takenText(key as never)) : undefined,
    replace({ draft, emit }: CommandContext, before: object, after: object) {
      draft.put(collection, after as never);
      emit({ type: `${event}-updated`, data: after, preData: before });
      return after;
    },
  };
}

function commandsOf(statement: AnyStatement, { newFields, changes }: Schemas, { find, takenProblem, replace }: Store) {
  const { collection, noun, key, event, entity, defaults, setByService = {}, check, protect, beforeRemove } = statement;
  const name = noun.replaceAll(' ', '-');
  const keyInput = { [key]: isNumbered(statement) ? Type.Integer({ minimum: 1 }) : NameReference };
  const create = command({
    name: `create-${name}`,
    input: Type.Object(newFields),
    decide(context, input): object | Rejection {
      const { draft, emit } = context;
      const fields = statedFields(newFields, input);
      const problem = (isNumbered(statement) ? undefined : takenProblem(draft, fields[key])) ?? check?.(fields);
      if (problem) return problem;
      const serviceFields = Object.entries(setByService).map(([field, makeValue]) => [field, makeValue(context)]);
      const id = isNumbered(statement) ? { [key]: draft.next(collection) } : {};
      const newEntity = statedFields(entity.properties, {
        ...defaults,
        ...fields,
        ...Object.fromEntries(serviceFields),
        ...id,
      });
      draft.put(collection, newEntity as never);
      emit({ type: `${event}-created`, data: newEntity });
      return newEntity;
    },
  });
  const update = command({
    name: `update-${name}`,
    input: Type.Object({ ...keyInput, ...changes }),
    decide(context, input): object | Rejection {
      const before = find(context.draft, (input as Entity)[key]);
      if (before instanceof Rejection) return before;
      const fields = statedFields(changes, input);
      const problem = protect?.(before as never) ?? check?.(fields);
      return problem ?? replace(context, before, { ...before, ...fields });
    },
  });
  const remove = command({
    name: `delete-${name}`,
    input: Type.Object(keyInput),
    decide(context, input) {
      const removed = find(context.draft, (input as Entity)[key]);
      if (removed instanceof Rejection) return removed;
      const problem = protect?.(removed as never) ?? beforeRemove?.(context, removed as never);
      if (problem) return problem;
      context.draft.remove(collection, String(removed[key]));
      context.emit({ type: `${event}-deleted`, preData: removed });
      return undefined;
    },
  });
  return { create, update, remove };
}

/** The undo needs the permissions of the operations. An operation that the resource does not have can be undone by admins. */
function undoOf(statement: AnyStatement, remove: Command<object, undefined>): UndoRule<never> {
  const { collection, event, key, entity, operations, setByService = {}, check, protect, inUse } = statement;
  const neededFor = (operation: { readonly permission: 'READ' | RootPermission } | undefined) => [
    (operation?.permission ?? 'ADMIN') as RootPermission,
  ];
  const rule = undoOfEdits({
    ...{ collection, shape: entity },
    needs: {
      create: neededFor(operations.create),
      update: neededFor(operations.update),
      remove: neededFor(operations.remove),
    },
    events: { created: `${event}-created`, updated: `${event}-updated` },
    problem(_context, after, before) {
      const changed = before ? fieldsThatDiffer(before as Entity, after as Entity) : [];
      // The fields that the service sets have commands of their own, which a protected entity accepts.
      const isProtected = before && changed.some((field) => !(field in setByService));
      return (isProtected ? protect?.(before as never) : undefined) ?? check?.(after as never);
    },
    remove: removalBy(remove, (removed) => ({ [key]: (removed as Entity)[key] }), inUse as never),
  });
  return rule as UndoRule<never>;
}

function fieldsThatDiffer(before: Entity, after: Entity): string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].filter((field) => !isSameJson(before[field], after[field]));
}
