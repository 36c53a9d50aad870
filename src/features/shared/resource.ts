import Type, { type Static, type TObject, type TOptional, type TProperties, type TSchema } from 'typebox';
import { conflict, notFound, Rejection } from '../../base/rejection.ts';
import { type Command, type CommandContext, command } from '../../engine/command.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { EntityOf } from '../../model/entity.ts';
import type { EventType } from '../../model/event.ts';
import { NameReference } from '../../model/primitives.ts';
import type { Collections, OwnKeyName, StateReader } from '../../state/collections.ts';
import type { Services } from '../services.ts';
import { type Operations, pascal, resourceEndpoints } from './resource-routes.ts';
import { answerSchema, inputSchema, mapFields, type Optionals, statedFields } from './resource-schemas.ts';

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
  readonly key: K;
  /** The stored fields, in this order. `resource-schemas.ts` explains `description` and `answer` of a field. */
  readonly entity: TObject<F> & (EntityOf<TObject<F>> extends Collections[C] ? unknown : never);
  /** Defaults of the fields that a client may leave out. */
  readonly defaults: D & Partial<Inputs<F>>;
  /** Fields that the service sets when it creates an entity; clients cannot write them. */
  readonly sets?: { readonly [Name in S]: (context: CommandContext) => Static<F[Name]> };
  /** The fields of the answer, if they differ from the fields of the entity. */
  readonly answer?: (fields: { readonly [Name in keyof F]: TSchema }) => TProperties;
  /** Returns the entity as it appears in answers. */
  readonly present?: (entity: Collections[C]) => object;
  readonly missing?: (key: Static<F[K]>) => string;
  readonly taken?: (key: Static<F[K]>) => string;
  /** Checks the fields that a client sent. Returns a rejection if they are invalid. */
  readonly check?: (written: Partial<Inputs<F>>) => Rejection | undefined;
  /** Returns a rejection if the entity can be neither changed nor deleted. */
  readonly protect?: (entity: Collections[C]) => Rejection | undefined;
  /** Returns a rejection if the entity cannot be deleted. Otherwise deletes the data that depends on the entity. */
  readonly beforeRemove?: (context: CommandContext, entity: Collections[C]) => Rejection | undefined;
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
  taken(reader: StateReader, key: Static<F[K]>): Rejection | undefined;
  present(entity: E): object;
  /** Replaces the stored entity `before` by `after` and records the change as an update. */
  replace(context: CommandContext, before: E, after: E): E;
}

/** A statement of any resource, for code that works on all of them. */
type AnyStatement = Omit<Statement<EntityName, TProperties, string, object, never>, 'entity' | 'sets'> & {
  readonly entity: TObject;
  readonly sets?: Readonly<Record<string, (context: CommandContext) => unknown>>;
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
  const made = { ...schemas, ...store, present, ...commandsOf(any, schemas, store) };
  return { ...made, endpoints: resourceEndpoints({ statement: any, ...made }) } as never;
}

function isNumbered({ entity, key }: AnyStatement): boolean {
  return (entity.properties[key] as { readonly type?: string }).type === 'integer';
}

type Schemas = ReturnType<typeof schemasOf>;

function schemasOf(statement: AnyStatement) {
  const { entity, key, noun, defaults, sets = {}, answer = (fields) => fields, operations } = statement;
  const usual = defaults as Readonly<Record<string, unknown>>;
  const isWritten = (name: string) => !(name in sets || (name === key && isNumbered(statement)));
  const written = Object.fromEntries(Object.entries(entity.properties).filter(([name]) => isWritten(name)));
  const inputs = mapFields(written, (schema, name) => inputSchema(schema, usual[name]));
  const newFields = mapFields(inputs, (schema, name) => (name in usual ? Type.Optional(schema) : schema));
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
    missing = (key) =>
      isNumbered(statement) ? `There is no ${noun} with the id ${key}.` : `The ${noun} ${key} does not exist.`,
    taken = (key) => `A ${noun} named ${key} already exists.`,
  } = statement;
  return {
    all: (reader: StateReader) => [...reader.values(collection)] as object[],
    find: (reader: StateReader, key: unknown) =>
      (reader.get(collection, String(key)) as Entity | undefined) ?? notFound(missing(key as never)),
    taken: (reader: StateReader, key: unknown) =>
      reader.get(collection, String(key)) ? conflict(taken(key as never)) : undefined,
    replace({ draft, emit }: CommandContext, before: object, after: object) {
      draft.put(collection, after as never);
      emit({ type: `${event}-updated`, data: after, preData: before });
      return after;
    },
  };
}

function commandsOf(statement: AnyStatement, { newFields, changes }: Schemas, { find, taken, replace }: Store) {
  const { collection, noun, key, event, entity, defaults, sets = {}, check, protect, beforeRemove } = statement;
  const name = noun.replaceAll(' ', '-');
  const keyInput = { [key]: isNumbered(statement) ? Type.Integer({ minimum: 1 }) : NameReference };
  const create = command({
    name: `create-${name}`,
    input: Type.Object(newFields),
    decide(context, input): object | Rejection {
      const { draft, emit } = context;
      const supplied = statedFields(newFields, input);
      const problem = (isNumbered(statement) ? undefined : taken(draft, supplied[key])) ?? check?.(supplied);
      if (problem) return problem;
      const set = Object.entries(sets).map(([field, setter]) => [field, setter(context)]);
      const id = isNumbered(statement) ? { [key]: draft.next(collection) } : {};
      const made = statedFields(entity.properties, { ...defaults, ...supplied, ...Object.fromEntries(set), ...id });
      draft.put(collection, made as never);
      emit({ type: `${event}-created`, data: made });
      return made;
    },
  });
  const update = command({
    name: `update-${name}`,
    input: Type.Object({ ...keyInput, ...changes }),
    decide(context, input): object | Rejection {
      const before = find(context.draft, (input as Entity)[key]);
      if (before instanceof Rejection) return before;
      const supplied = statedFields(changes, input);
      const problem = protect?.(before as never) ?? check?.(supplied);
      return problem ?? replace(context, before, { ...before, ...supplied });
    },
  });
  const remove = command({
    name: `delete-${name}`,
    input: Type.Object(keyInput),
    decide(context, input) {
      const gone = find(context.draft, (input as Entity)[key]);
      if (gone instanceof Rejection) return gone;
      const problem = protect?.(gone as never) ?? beforeRemove?.(context, gone as never);
      if (problem) return problem;
      context.draft.remove(collection, String(gone[key]));
      context.emit({ type: `${event}-deleted`, preData: gone });
      return undefined;
    },
  });
  return { create, update, remove };
}
