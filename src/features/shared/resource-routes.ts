import Type, { type TObject, type TProperties } from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import type { Command } from '../../engine/command.ts';
import { created, done, listAnswer, ok } from '../../http/answer.ts';
import { createdResponses, type Endpoint } from '../../http/endpoint.ts';
import type { RootPermission } from '../../model/permission.ts';
import type { StateReader } from '../../state/collections.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { change } from './change.ts';
import type { EditedKind } from './edited.ts';

/** The properties that a resource states for each of its operations. */
interface Operation {
  readonly permission: 'READ' | RootPermission;
  readonly summary: string;
  /** Needed only if it cannot be derived from the noun. */
  readonly operationId?: string;
  /** Description of the answer; needed only if it cannot be derived from the noun. */
  readonly description?: string;
  /** Error statuses in addition to those that the operation implies. */
  readonly errors?: readonly number[];
}

/** An operation with a body. */
interface Writing extends Operation {
  /** Body fields that differ from the fields of the entity. */
  readonly body?: TProperties;
  /** Converts a body with the fields of `body` to the command's input. */
  toInput?(body: object): object;
}

/** The operations of a resource. The resource has no route for an operation that is left out. */
export interface Operations<E> {
  /** Answers `{ [as]: [...] }`, preceded by `version: 1` if `version` is set. Without `order`, the list has the order of the collection. */
  readonly list?: Operation & {
    readonly as: string;
    readonly version?: true;
    readonly $id?: string;
    order?(left: E, right: E): number;
  };
  /** Answers `{ version: 1, [as]: {...} }` if `as` is set, otherwise the entity itself. */
  readonly get?: Operation & { readonly as?: string };
  /** Answers the entity and its location. */
  readonly create?: Writing & { readonly location?: string };
  /** The answer has no body unless `answersEntity` is set. If `replaces` is set, fields that the client leaves out get their defaults. */
  readonly update?: Writing & { readonly replaces?: true; readonly answersEntity?: true };
  readonly remove?: Operation;
}

/** The properties of a resource that its routes use, independent of the types of the resource. */
interface RoutedResource {
  readonly statement: {
    readonly noun: string;
    readonly tag: string;
    readonly path: string;
    readonly edits?: EditedKind;
    readonly key: string;
    readonly defaults: object;
    readonly operations: Operations<object>;
  };
  /** Name of the key → its schema. */
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
  return noun.replace(/(?:^| )(\w)/g, (_match, character: string) => character.toUpperCase());
}

/** The endpoints for the operations that the resource states. */
export function resourceEndpoints(resource: RoutedResource): readonly Endpoint<Services>[] {
  const { list, get, create, update, remove } = resource.statement.operations;
  const endpoints = [
    ...[list && listOf(resource, list), get && getOf(resource, get), create && createOf(resource, create)],
    ...[update && updateOf(resource, update), remove && removeOf(resource, remove)],
  ];
  return endpoints.filter((endpoint) => endpoint !== undefined);
}

function details({ permission, summary, errors = [] }: Operation) {
  return { access: { permission: permission as RootPermission }, summary, errors };
}

function editsOf({ statement: { edits } }: RoutedResource) {
  return edits === undefined ? {} : { edits };
}

const VERSION = { version: Type.Integer() };

type List = NonNullable<Operations<object>['list']>;

function listOf(resource: RoutedResource, list: List) {
  const { noun, tag, path } = resource.statement;
  const { as, version, $id, order, description = `The ${noun}s` } = list;
  const firstFields = version ? { version: 1 } : {};
  const fields = { ...(version && VERSION), [as]: Type.Array(resource.answer) };
  return routesOf(tag)(`GET ${path}`, list.operationId ?? `get${pascal(noun)}s`, {
    ...details(list),
    responses: { 200: { description, schema: Type.Object(fields, $id === undefined ? {} : { $id }) } },
    handle(_request, { state }) {
      const all = resource.all(state);
      return listAnswer(firstFields, as, order ? all.sort(order) : all, resource.present);
    },
  });
}

function getOf(resource: RoutedResource, get: NonNullable<Operations<object>['get']>) {
  const { noun, tag, path, key } = resource.statement;
  const { as, description = `The ${noun}` } = get;
  const schema = as === undefined ? resource.answer : Type.Object({ ...VERSION, [as]: resource.answer });
  return routesOf(tag)(`GET ${path}/:${key}`, get.operationId ?? `get${pascal(noun)}`, {
    ...details(get),
    ...editsOf(resource),
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

function createOf(resource: RoutedResource, create: NonNullable<Operations<object>['create']>) {
  const { noun, tag, path, key } = resource.statement;
  const { description = `The ${noun}`, location = 'Path at which it can be read', toInput, errors = [] } = create;
  // Only a key that the client chooses can be in use.
  const keyErrors = key in resource.createBody.properties ? [409] : [];
  return routesOf(tag)(`POST ${path}`, create.operationId ?? `create${pascal(noun)}`, {
    ...details({ ...create, errors: [...keyErrors, ...errors] }),
    body: resource.createBody,
    responses: createdResponses(description, resource.answer, location),
    handle: ({ body, caller }, services) =>
      change(services, caller, resource.create, toInput ? toInput(body) : body, (entity) =>
        created(resource.present(entity), `${services.config.basePath}${path}/${keyOf(resource, entity)}`),
      ),
  });
}

function updateOf(resource: RoutedResource, update: NonNullable<Operations<object>['update']>) {
  const { noun, tag, path, key, defaults } = resource.statement;
  const { description = 'Done', answersEntity, replaces, toInput } = update;
  return routesOf(tag)(`PUT ${path}/:${key}`, update.operationId ?? `update${pascal(noun)}`, {
    ...details(update),
    ...editsOf(resource),
    params: resource.params,
    body: resource.updateBody,
    responses: { 200: { description, ...(answersEntity && { schema: resource.answer }) } },
    handle({ params, body, caller }, services) {
      const input = { ...(replaces && defaults), ...(toInput ? toInput(body) : body), [key]: params[key] };
      return change(services, caller, resource.update, input, (entity) =>
        answersEntity ? ok(resource.present(entity)) : done(),
      );
    },
  });
}

function removeOf(resource: RoutedResource, remove: Operation) {
  const { noun, tag, path, key } = resource.statement;
  return routesOf(tag)(`DELETE ${path}/:${key}`, remove.operationId ?? `delete${pascal(noun)}`, {
    ...details(remove),
    ...editsOf(resource),
    params: resource.params,
    responses: { 200: { description: remove.description ?? `The ${noun} was deleted` } },
    handle: ({ params, caller }, services) => change(services, caller, resource.remove, { [key]: params[key] }),
  });
}

/** The key of an entity. */
function keyOf({ statement: { key } }: RoutedResource, entity: object): unknown {
  return (entity as Readonly<Record<string, unknown>>)[key];
}
