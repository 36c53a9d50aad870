import Type, { type TObject, type TProperties } from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import type { Command } from '../../engine/command.ts';
import { created, done, listAnswer, ok } from '../../http/answer.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { RootPermission } from '../../model/permission.ts';
import type { StateReader } from '../../state/collections.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { change } from './change.ts';

/** What a resource says of one of its operations. */
interface Operation {
  readonly permission: 'READ' | RootPermission;
  readonly summary: string;
  /** Where it does not follow from the noun. */
  readonly operationId?: string;
  /** Of the answer, where it does not follow from the noun. */
  readonly description?: string;
  /** Statuses beside those that follow from the operation. */
  readonly errors?: readonly number[];
}

/** An operation with a body. */
interface Writing extends Operation {
  /** Fields of the body that differ from those of the entity. */
  readonly body?: TProperties;
  /** Makes of such fields what the command takes. */
  read?(body: object): object;
}

/** The operations of a resource: those that are stated exist. */
export interface Operations<E> {
  /** Answers `{ [as]: [...] }`, with `version: 1` before it where that is stated. `order`: that of the collection where it is left out. */
  readonly list?: Operation & {
    readonly as: string;
    readonly version?: true;
    readonly $id?: string;
    order?(left: E, right: E): number;
  };
  /** Answers `{ version: 1, [as]: {...} }` where `as` is stated, else the entity itself. */
  readonly get?: Operation & { readonly as?: string };
  /** Answers the entity, and where it is found. */
  readonly create?: Writing & { readonly location?: string };
  /** Answers nothing, unless it `answersEntity`. `replaces`: fields that the client leaves out get their defaults. */
  readonly update?: Writing & { readonly replaces?: true; readonly answersEntity?: true };
  readonly remove?: Operation;
}

/** What routes need to know of a resource, whatever its types. */
interface Routed {
  readonly statement: {
    readonly noun: string;
    readonly tag: string;
    readonly path: string;
    readonly key: string;
    readonly defaults: object;
    readonly operations: Operations<object>;
  };
  /** The key's schema, by its name. */
  readonly params: TProperties;
  readonly answer: TObject;
  readonly createBody: TObject;
  readonly updateBody: TObject;
  readonly create: Command<unknown, object>;
  readonly update: Command<unknown, object>;
  readonly remove: Command<unknown, undefined>;
  all(reader: StateReader): object[];
  find(reader: StateReader, key: unknown): object | Rejection;
  present(entity: object): object;
}

/** `tag type` → `TagType`. */
export function pascal(noun: string): string {
  return noun.replace(/(?:^| )(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** The endpoints of the operations that the resource states. */
export function resourceEndpoints(resource: Routed): readonly Endpoint<Services>[] {
  const { list, get, create, update, remove } = resource.statement.operations;
  const endpoints = [
    ...[list && listOf(resource, list), get && getOf(resource, get), create && createOf(resource, create)],
    ...[update && updateOf(resource, update), remove && removeOf(resource, remove)],
  ];
  return endpoints.filter((stated) => stated !== undefined);
}

function facts({ permission, summary, errors = [], ...operation }: Operation, operationId: string) {
  const access = { permission: permission as RootPermission };
  return { operationId: operation.operationId ?? operationId, access, summary, errors };
}

const VERSION = { version: Type.Integer() };

type List = NonNullable<Operations<object>['list']>;

function listOf(resource: Routed, list: List) {
  const { noun, tag, path } = resource.statement;
  const { as, version, $id, order, description = `The ${noun}s` } = list;
  const head = version ? { version: 1 } : {};
  const fields = { ...(version && VERSION), [as]: Type.Array(resource.answer) };
  return routesOf(tag)(`GET ${path}`, {
    ...facts(list, `get${pascal(noun)}s`),
    responses: { 200: { description, schema: Type.Object(fields, $id === undefined ? {} : { $id }) } },
    handle(_request, { state }) {
      const all = resource.all(state);
      return listAnswer(head, as, order ? all.sort(order) : all, resource.present);
    },
  });
}

function getOf(resource: Routed, get: NonNullable<Operations<object>['get']>) {
  const { noun, tag, path, key } = resource.statement;
  const { as, description = `The ${noun}` } = get;
  const schema = as === undefined ? resource.answer : Type.Object({ ...VERSION, [as]: resource.answer });
  return routesOf(tag)(`GET ${path}/:${key}`, {
    ...facts(get, `get${pascal(noun)}`),
    params: resource.params,
    responses: { 200: { description, schema } },
    handle({ params }, { state }) {
      const found = resource.find(state, params[key]);
      if (found instanceof Rejection) return found;
      const presented = resource.present(found);
      return ok(as === undefined ? presented : { version: 1, [as]: presented });
    },
  });
}

function createOf(resource: Routed, create: NonNullable<Operations<object>['create']>) {
  const { noun, tag, path, key } = resource.statement;
  const { description = `The ${noun}`, location = 'Where it can be read', read, errors = [] } = create;
  const taken = key in resource.createBody.properties ? [409] : [];
  return routesOf(tag)(`POST ${path}`, {
    ...facts({ ...create, errors: [...taken, ...errors] }, `create${pascal(noun)}`),
    body: resource.createBody,
    responses: { 201: { description, schema: resource.answer, headers: { location } } },
    handle({ body, caller }, services) {
      return change(services, caller, resource.create, read ? read(body) : body, (entity) =>
        created(resource.present(entity), `${services.config.basePath}${path}/${keyOf(resource, entity)}`),
      );
    },
  });
}

function updateOf(resource: Routed, update: NonNullable<Operations<object>['update']>) {
  const { noun, tag, path, key, defaults } = resource.statement;
  const { description = 'Done', answersEntity, replaces, read } = update;
  return routesOf(tag)(`PUT ${path}/:${key}`, {
    ...facts(update, `update${pascal(noun)}`),
    params: resource.params,
    body: resource.updateBody,
    responses: { 200: { description, ...(answersEntity && { schema: resource.answer }) } },
    handle({ params, body, caller }, services) {
      const written = { ...(replaces && defaults), ...(read ? read(body) : body), [key]: params[key] };
      return change(services, caller, resource.update, written, (entity) =>
        answersEntity ? ok(resource.present(entity)) : done(),
      );
    },
  });
}

function removeOf(resource: Routed, remove: Operation) {
  const { noun, tag, path, key } = resource.statement;
  return routesOf(tag)(`DELETE ${path}/:${key}`, {
    ...facts(remove, `delete${pascal(noun)}`),
    params: resource.params,
    responses: { 200: { description: remove.description ?? 'It is gone' } },
    handle({ params, caller }, services) {
      return change(services, caller, resource.remove, { [key]: params[key] });
    },
  });
}

/** The key of an entity. */
function keyOf({ statement: { key } }: Routed, entity: object): unknown {
  return (entity as Readonly<Record<string, unknown>>)[key];
}
