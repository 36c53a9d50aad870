import Type from 'typebox';
import { done } from '../../../http/answer.ts';
import { endpoint } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { FeatureParams } from '../schemas.ts';
import { addLink, LinkFields, removeLink, updateLink } from './commands.ts';

const PATH = '/api/admin/projects/:projectId/features/:featureName/link';

const LinkParams = Type.Object({
  projectId: Type.String(),
  featureName: Type.String(),
  linkId: Type.String({ description: 'Id of the link' }),
});

const LinkBody = Type.Object(LinkFields, { $id: 'featureLink' });

const addFeatureLink = endpoint({
  operationId: 'addFeatureLink',
  method: 'post',
  path: PATH,
  tag: 'Features',
  access: { permission: 'UPDATE_FEATURE', project: 'path.projectId' },
  summary: 'Adds a link to a flag: where more is told about it',
  params: FeatureParams,
  body: LinkBody,
  responses: { 204: { description: 'Done' } },
  errors: [400, 404],
  handle({ params: { projectId: project, featureName }, body: { url, title }, caller }, services) {
    return change(services, caller, addLink, { project, featureName, url, title }, () => done(204));
  },
});

const updateFeatureLink = endpoint({
  operationId: 'updateFeatureLink',
  method: 'put',
  path: `${PATH}/:linkId`,
  tag: 'Features',
  access: { permission: 'UPDATE_FEATURE', project: 'path.projectId' },
  summary: 'Changes a link of a flag',
  params: LinkParams,
  body: LinkBody,
  responses: { 204: { description: 'Done' } },
  errors: [400, 404],
  handle({ params: { projectId: project, featureName, linkId }, body: { url, title }, caller }, services) {
    return change(services, caller, updateLink, { project, featureName, linkId, url, title }, () => done(204));
  },
});

const deleteFeatureLink = endpoint({
  operationId: 'deleteFeatureLink',
  method: 'delete',
  path: `${PATH}/:linkId`,
  tag: 'Features',
  access: { permission: 'UPDATE_FEATURE', project: 'path.projectId' },
  summary: 'Removes a link from a flag',
  params: LinkParams,
  responses: { 204: { description: 'It is gone' } },
  errors: [404],
  handle({ params: { projectId: project, featureName, linkId }, caller }, services) {
    return change(services, caller, removeLink, { project, featureName, linkId }, () => done(204));
  },
});

export const featureLinkEndpoints = [addFeatureLink, updateFeatureLink, deleteFeatureLink];
