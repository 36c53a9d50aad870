import Type from 'typebox';
import { conflict, notFound, Rejection } from '../../../base/rejection.ts';
import { command } from '../../../engine/command.ts';
import { created, listAnswer, ok } from '../../../http/answer.ts';
import { createdResponses } from '../../../http/endpoint.ts';
import { NameReference } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { answeredFields, statedFields, writtenFields } from '../../shared/resource-schemas.ts';
import { removalBy, type UndoRule, undoOfEdits } from '../../shared/undoing.ts';
import { Region } from './region.ts';

/** A region as clients create it. */
const RegionFields = writtenFields(Region, 'name', 'description?', 'icon?', 'color?');
const Changes = writtenFields(Region, 'description?', 'icon?', 'color?');

/** The fields that need not be sent. */
const UNSENT = { description: null, icon: null, color: null };

const PATH = '/api/admin/regions';

export const createRegion = command({
  name: 'create-region',
  input: Type.Object(RegionFields),
  decide({ draft, emit }, input): Region | Rejection {
    const problem = takenProblem(draft, input.name);
    if (problem) return problem;
    const region: Region = { name: input.name, ...UNSENT, ...statedFields(RegionFields, input) };
    draft.put('regions', region);
    emit({ type: 'region-created', data: region });
    return region;
  },
});

/** Changes the fields that the input has. */
export const updateRegion = command({
  name: 'update-region',
  input: Type.Object({ name: NameReference, ...Changes }),
  decide({ draft, emit }, { name, ...input }): Region | Rejection {
    const before = findRegion(draft, name);
    if (before instanceof Rejection) return before;
    const after = { ...before, ...statedFields(Changes, input) };
    draft.put('regions', after);
    emit({ type: 'region-updated', data: after, preData: before });
    return after;
  },
});

const deleteRegion = command({
  name: 'delete-region',
  input: Type.Object({ name: NameReference }),
  decide({ draft, emit }, { name }) {
    const before = findRegion(draft, name);
    if (before instanceof Rejection) return before;
    draft.remove('regions', name);
    emit({ type: 'region-deleted', preData: before });
    return undefined;
  },
});

export const undoRegion: UndoRule<Region> = undoOfEdits({
  collection: 'regions',
  shape: Region,
  needs: { create: ['ADMIN'], update: ['ADMIN'], remove: ['ADMIN'] },
  events: { created: 'region-created', updated: 'region-updated' },
  remove: removalBy(deleteRegion, ({ name }) => ({ name })),
});

function findRegion(reader: StateReader, name: string): Region | Rejection {
  return reader.get('regions', name) ?? notFound(`The region ${name} does not exist.`);
}

function takenProblem(reader: StateReader, name: string): Rejection | undefined {
  return reader.get('regions', name) && conflict(`A region named ${name} already exists.`);
}

const route = routesOf('Regions');

const Shown = Type.Object(answeredFields(Region, 'name', 'description', 'icon', 'color'), { $id: 'region' });

const listRegions = route(`GET ${PATH}`, 'getRegions', {
  access: { permission: 'READ' },
  summary: 'Every region',
  responses: {
    200: {
      description: 'The regions',
      schema: Type.Object({ version: Type.Integer(), regions: Type.Array(Shown) }),
    },
  },
  handle: (_request, { state }) => listAnswer({ version: 1 }, 'regions', state.values('regions'), (type) => type),
});

const getRegion = route(`GET ${PATH}/:name`, 'getRegion', {
  access: { permission: 'READ' },
  edits: 'region',
  summary: 'One region',
  responses: {
    200: { description: 'The region', schema: Type.Object({ version: Type.Integer(), region: Shown }) },
  },
  handle({ params }, { state }) {
    const region = findRegion(state, params.name);
    return region instanceof Rejection ? region : ok({ version: 1, region });
  },
});

const addRegion = route(`POST ${PATH}`, 'createRegion', {
  access: { permission: 'ADMIN' },
  summary: 'Creates a region',
  body: Type.Object(RegionFields, { $id: 'createRegion' }),
  responses: createdResponses('The region', Shown, 'Path at which it can be read'),
  errors: [409],
  handle: ({ body, caller }, services) =>
    change(services, caller, createRegion, body, (region) =>
      created(region, `${services.config.basePath}${PATH}/${region.name}`),
    ),
});

const changeRegion = route(`PUT ${PATH}/:name`, 'updateRegion', {
  access: { permission: 'ADMIN' },
  edits: 'region',
  summary: 'Changes the specified properties of a region',
  body: Type.Object(Changes, { $id: 'updateRegion' }),
  handle: ({ params: { name }, body, caller }, services) => change(services, caller, updateRegion, { ...body, name }),
});

const removeRegion = route(`DELETE ${PATH}/:name`, 'deleteRegion', {
  access: { permission: 'ADMIN' },
  edits: 'region',
  summary: 'Deletes a region',
  responses: { 200: { description: 'The region was deleted' } },
  handle: ({ params: { name }, caller }, services) => change(services, caller, deleteRegion, { name }),
});

export const regionEndpoints = [listRegions, getRegion, addRegion, changeRegion, removeRegion];
