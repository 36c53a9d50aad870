import Type from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { created, listAnswer, ok } from '../../../http/answer.ts';
import { createdResponses } from '../../../http/endpoint.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { answeredFields } from '../../shared/entity-fields.ts';
import { ofUser } from '../of-user.ts';
import { createSavedView, deleteSavedView, findView, updateSavedView, ViewFields, viewsOf } from './commands.ts';
import { SavedView } from './saved-view.ts';

const route = routesOf('Personal data');

const SavedViewSchema = Type.Object(
  answeredFields(SavedView, 'id', 'name', 'screen', 'query', 'createdAt', 'updatedAt'),
  { $id: 'savedView' },
);

const params = { id: SavedView.properties.id };

const DESCRIPTION =
  'The caller must be a user, with a session or a personal access token. Only this user can read the views. No audit event is recorded.';

function presentView({ id, name, screen, query, createdAt, updatedAt }: SavedView) {
  return { id, name, screen, query, createdAt, updatedAt };
}

const listViews = route('GET /api/admin/user/views', 'getOwnSavedViews', {
  access: { permission: 'READ' },
  summary: 'The saved views of the caller',
  description: DESCRIPTION,
  query: Type.Object({
    screen: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Returns only the views of this screen' }),
    ),
  }),
  responses: {
    200: {
      description: 'The views, in the order of creation',
      schema: Type.Object({ views: Type.Array(SavedViewSchema) }, { $id: 'savedViews' }),
    },
  },
  handle: ({ caller, query: { screen } }, { state }) =>
    ofUser(caller, (userId) => {
      const views = viewsOf(state, userId).filter((view) => screen === undefined || view.screen === screen);
      return listAnswer({}, 'views', views, presentView);
    }),
});

const getView = route('GET /api/admin/user/views/:id', 'getOwnSavedView', {
  access: { permission: 'READ' },
  summary: 'A saved view of the caller',
  description: DESCRIPTION,
  params,
  responses: { 200: { description: 'The view', schema: SavedViewSchema } },
  handle: ({ params: { id }, caller }, { state }) =>
    ofUser(caller, (userId) => {
      const found = findView(state, userId, id);
      return found instanceof Rejection ? found : ok(presentView(found));
    }),
});

const addView = route('POST /api/admin/user/views', 'createOwnSavedView', {
  access: { permission: 'READ' },
  summary: 'Saves the query of a screen under a name',
  description: DESCRIPTION,
  body: Type.Object(ViewFields, { $id: 'createSavedView' }),
  responses: createdResponses('The view', SavedViewSchema),
  errors: [409],
  handle: ({ body: { name, screen, query }, caller }, services) =>
    ofUser(caller, (userId) =>
      change(services, caller, createSavedView, { userId, name, screen, query }, (view) =>
        created(presentView(view), `${services.config.basePath}/api/admin/user/views/${view.id}`),
      ),
    ),
});

const changeView = route('PUT /api/admin/user/views/:id', 'changeOwnSavedView', {
  access: { permission: 'READ' },
  summary: 'Replaces the name, the screen and the query of a saved view of the caller',
  description: DESCRIPTION,
  params,
  body: Type.Object(ViewFields, { $id: 'updateSavedView' }),
  responses: { 200: { description: 'The view as it is now', schema: SavedViewSchema } },
  errors: [409],
  handle: ({ params: { id }, body: { name, screen, query }, caller }, services) =>
    ofUser(caller, (userId) =>
      change(services, caller, updateSavedView, { userId, id, name, screen, query }, (view) => ok(presentView(view))),
    ),
});

const removeView = route('DELETE /api/admin/user/views/:id', 'deleteOwnSavedView', {
  access: { permission: 'READ' },
  summary: 'Deletes a saved view of the caller',
  description: DESCRIPTION,
  params,
  responses: { 200: { description: 'The view was deleted' } },
  handle: ({ params: { id }, caller }, services) =>
    ofUser(caller, (userId) => change(services, caller, deleteSavedView, { userId, id })),
});

export const viewEndpoints = [listViews, getView, addView, changeView, removeView];
