import Type from 'typebox';
import { done } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { addLink, LinkFields, removeLink, updateLink } from './commands.ts';

const route = routesOf('Features');

const PATH = '/api/admin/projects/:projectId/features/:featureName/link';

const LinkParams = { linkId: Type.String({ description: 'Id of the link' }) };

const LinkBody = Type.Object(LinkFields, { $id: 'featureLink' });

const addFeatureLink = route(`POST ${PATH}`, 'addFeatureLink', {
  access: { permission: 'UPDATE_FEATURE', project: 'path.projectId' },
  edits: 'feature',
  summary: 'Adds a link to a flag. The link leads to more information about the flag',
  body: LinkBody,
  responses: { 204: { description: 'Done' } },
  handle: ({ params: { projectId: project, featureName }, body: { url, title }, caller }, services) =>
    change(services, caller, addLink, { project, featureName, url, title }, () => done(204)),
});

const updateFeatureLink = route(`PUT ${PATH}/:linkId`, 'updateFeatureLink', {
  access: { permission: 'UPDATE_FEATURE', project: 'path.projectId' },
  edits: 'feature',
  summary: 'Changes a link of a flag',
  params: LinkParams,
  body: LinkBody,
  responses: { 204: { description: 'Done' } },
  handle: ({ params: { projectId: project, featureName, linkId }, body: { url, title }, caller }, services) =>
    change(services, caller, updateLink, { project, featureName, linkId, url, title }, () => done(204)),
});

const deleteFeatureLink = route(`DELETE ${PATH}/:linkId`, 'deleteFeatureLink', {
  access: { permission: 'UPDATE_FEATURE', project: 'path.projectId' },
  edits: 'feature',
  summary: 'Removes a link from a flag',
  params: LinkParams,
  responses: { 204: { description: 'The link was removed' } },
  handle: ({ params: { projectId: project, featureName, linkId }, caller }, services) =>
    change(services, caller, removeLink, { project, featureName, linkId }, () => done(204)),
});

export const featureLinkEndpoints = [addFeatureLink, updateFeatureLink, deleteFeatureLink];
