import Type from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import { createFeature, updateFeature } from '../../commands/feature.ts';
import { findFeature, findProject } from '../../commands/lookup.ts';
import { created, listAnswer, ok, written } from '../../http/answer.ts';
import { endpoint } from '../endpoint.ts';
import { CreateFeatureBody, FeatureSchema, UpdateFeatureBody } from './feature-schemas.ts';
import { presentFeature } from './present-feature.ts';

const ProjectParams = Type.Object({ projectId: Type.String() });
const FeatureParams = Type.Object({ projectId: Type.String(), featureName: Type.String() });

const listProjectFeatures = endpoint({
  operationId: 'getFeatures',
  method: 'get',
  path: '/api/admin/projects/:projectId/features',
  tag: 'Features',
  permission: 'admin',
  summary: 'The flags of a project, archived ones left out',
  params: ProjectParams,
  responses: {
    200: {
      description: 'The flags',
      schema: Type.Object({ version: Type.Integer(), features: Type.Array(FeatureSchema) }),
    },
  },
  errors: [404],
  handle({ params }, { state }) {
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    const features = [...state.lookup('featuresByProject', project.id)].filter((feature) => !feature.archived);
    return listAnswer({ version: 2 }, 'features', features, (feature) => presentFeature(feature, state));
  },
});

const createProjectFeature = endpoint({
  operationId: 'createFeature',
  method: 'post',
  path: '/api/admin/projects/:projectId/features',
  tag: 'Features',
  permission: 'admin',
  summary: 'Creates a flag, off everywhere',
  params: ProjectParams,
  body: CreateFeatureBody,
  responses: { 201: { description: 'The flag', schema: FeatureSchema } },
  errors: [400, 404, 409],
  async handle({ params, body, caller }, { writer, state }) {
    const { name, type, description, impressionData } = body;
    const input = { project: params.projectId, name, type, description, impressionData };
    const outcome = await writer.submit(createFeature, input, caller.author);
    return written(outcome, (feature) => created(presentFeature(feature, state)));
  },
});

const getFeature = endpoint({
  operationId: 'getFeature',
  method: 'get',
  path: '/api/admin/projects/:projectId/features/:featureName',
  tag: 'Features',
  permission: 'admin',
  summary: 'One flag with its configuration in every environment',
  params: FeatureParams,
  responses: { 200: { description: 'The flag', schema: FeatureSchema } },
  errors: [404],
  handle({ params }, { state }) {
    const feature = findFeature(state, params.projectId, params.featureName, 'any');
    return feature instanceof Rejection ? feature : ok(presentFeature(feature, state));
  },
});

const updateProjectFeature = endpoint({
  operationId: 'updateFeature',
  method: 'put',
  path: '/api/admin/projects/:projectId/features/:featureName',
  tag: 'Features',
  permission: 'admin',
  summary: 'Changes the given properties of a flag',
  params: FeatureParams,
  body: UpdateFeatureBody,
  responses: { 200: { description: 'The flag as it is now', schema: FeatureSchema } },
  errors: [400, 404, 409],
  async handle({ params, body, caller }, { writer, state }) {
    const { description, type, stale, archived, impressionData } = body;
    const input = {
      project: params.projectId,
      name: params.featureName,
      description,
      type,
      stale,
      archived,
      impressionData,
    };
    const outcome = await writer.submit(updateFeature, input, caller.author);
    return written(outcome, (feature) => ok(presentFeature(feature, state)));
  },
});

export const featureEndpoints = [listProjectFeatures, createProjectFeature, getFeature, updateProjectFeature];
