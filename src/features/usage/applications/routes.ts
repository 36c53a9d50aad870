import Type, { type Static } from 'typebox';
import { type VisibleProjects, visibleProjects } from '../../../access/visibility.ts';
import { notFound, Rejection } from '../../../base/rejection.ts';
import { inSlices, Slicer } from '../../../base/yield-control.ts';
import { type Answer, done, listAnswer, ok } from '../../../http/answer.ts';
import type { Caller } from '../../../model/caller.ts';
import { routesOf } from '../../endpoint.ts';
import type { Services } from '../../services.ts';
import { change } from '../../shared/change.ts';
import { findProject } from '../../shared/lookup.ts';
import { readOrReject } from '../metrics-routes.ts';
import type { Application } from './application.ts';
import type { ApplicationUse } from './application-use.ts';
import { ApplicationFields, deleteApplication, updateApplication } from './commands.ts';
import {
  applicationsInProject,
  outdatedSdks,
  presentApplication,
  presentDetails,
  presentInProject,
  presentInstance,
  presentOverview,
  reportedApplications,
} from './present.ts';
import {
  ApplicationOverviewSchema,
  ApplicationParams,
  ApplicationSchema,
  ApplicationsQuery,
  ApplicationsSchema,
  InstancesSchema,
  OutdatedSdksSchema,
  PAGE_MAX,
  ProjectApplicationsQuery,
  ProjectApplicationsSchema,
} from './schemas.ts';

const metricsRoute = routesOf('Metrics');
const projectsRoute = routesOf('Projects');

const PATH = '/api/admin/metrics/applications';
const ProjectParams = { projectId: Type.String({ description: 'Id of the project' }) };

/**
 * The answer about an application. The application is looked up after `useReader.applications()`, because this call can create the entry of a new
 * application.
 */
function answerAbout(
  { state, useReader }: Services,
  appName: string,
  caller: Caller,
  answer: (application: Application, use: ApplicationUse, visible: VisibleProjects) => Answer | Promise<Answer>,
): Promise<Answer | Rejection> {
  return readOrReject(async () => {
    const use = await useReader.applications();
    const visible = visibleProjects(state, caller);
    const application = state.get('applications', appName);
    if (application && reportedApplications(use, visible)(application)) return answer(application, use, visible);
    return notFound(`The application ${appName} does not exist.`);
  });
}

interface Page {
  readonly query?: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly sortOrder?: 'asc' | 'desc';
}

/** The items whose name contains the text, sorted. */
function matching<T>(items: Iterable<T>, nameOf: (item: T) => string, { query = '', sortOrder }: Page): T[] {
  const text = query.toLowerCase();
  const found = [...items].filter((item) => nameOf(item).toLowerCase().includes(text));
  const sign = sortOrder === 'desc' ? -1 : 1;
  return found.sort((left, right) => (nameOf(left) < nameOf(right) ? -sign : sign));
}

function pageOf<T>(items: readonly T[], { offset = 0, limit = PAGE_MAX }: Page): readonly T[] {
  return items.slice(offset, offset + limit);
}

const listApplications = metricsRoute(`GET ${PATH}`, 'getApplications', {
  access: { permission: 'READ' },
  summary: 'The applications whose SDKs report',
  query: ApplicationsQuery,
  responses: { 200: { description: 'The applications', schema: ApplicationsSchema } },
  errors: [503],
  handle: ({ query, caller }, { state, useReader }) =>
    readOrReject(async () => {
      const use = await useReader.applications();
      const visible = visibleProjects(state, caller);
      const reported = [...state.values('applications')].filter(reportedApplications(use, visible));
      const found = matching(reported, ({ appName }) => appName, query);
      const total = found.length;
      return listAnswer({ total }, 'applications', pageOf(found, query), (each) =>
        presentApplication(each, use, visible),
      );
    }),
});

const getApplication = metricsRoute(`GET ${PATH}/:appName`, 'getApplication', {
  access: { permission: 'READ' },
  summary: 'An application, with its instances and the flags that it uses',
  params: ApplicationParams,
  responses: { 200: { description: 'The application', schema: ApplicationSchema } },
  errors: [503],
  handle: ({ params: { appName }, caller, asker }, services) =>
    answerAbout(services, appName, caller, async (application, use, visible) =>
      ok(await inSlices(presentDetails(application, use, services.state, visible), Slicer.of(asker))),
    ),
});

const UpdateApplicationBody = Type.Object(ApplicationFields, { $id: 'updateApplication' });

const saveApplication = metricsRoute(`POST ${PATH}/:appName`, 'createApplication', {
  access: { permission: 'UPDATE_APPLICATION' },
  summary: 'Sets the description of an application; an application that has not reported yet is created',
  params: ApplicationParams,
  body: UpdateApplicationBody,
  responses: { 202: { description: 'Done' } },
  neverMissing: true,
  handle({ params: { appName }, body, caller }, services) {
    const { description, url, icon, color }: Static<typeof UpdateApplicationBody> = body;
    return change(services, caller, updateApplication, { appName, description, url, icon, color }, () => done(202));
  },
});

const removeApplication = metricsRoute(`DELETE ${PATH}/:appName`, 'deleteApplication', {
  access: { permission: 'UPDATE_APPLICATION' },
  summary: 'Deletes an application; it is created again when its SDKs report',
  params: ApplicationParams,
  responses: { 200: { description: 'It was deleted' } },
  neverMissing: true,
  handle: ({ params: { appName }, caller }, services) => change(services, caller, deleteApplication, { appName }),
});

const getOverview = metricsRoute(`GET ${PATH}/:appName/overview`, 'getApplicationOverview', {
  access: { permission: 'READ' },
  summary: 'The environments of an application, the flags and SDKs that it uses, and problems such as missing flags',
  params: ApplicationParams,
  responses: { 200: { description: 'The overview', schema: ApplicationOverviewSchema } },
  errors: [503],
  handle: ({ params: { appName }, caller, asker }, services) =>
    answerAbout(services, appName, caller, async (_application, use, visible) =>
      ok(await inSlices(presentOverview(appName, use, services.state, visible), Slicer.of(asker))),
    ),
});

const getInstances = metricsRoute(
  'GET /api/admin/metrics/instances/:appName/environment/:environment',
  'getApplicationEnvironmentInstances',
  {
    access: { permission: 'READ' },
    summary: 'The instances of an application in an environment',
    params: { ...ApplicationParams, environment: Type.String({ description: 'Name of the environment' }) },
    responses: { 200: { description: 'The instances', schema: InstancesSchema } },
    errors: [503],
    handle: ({ params: { appName, environment }, caller }, services) =>
      answerAbout(services, appName, caller, (_application, use) => {
        const instances = [...(use.instances(appName).get(environment)?.values() ?? [])];
        instances.sort((left, right) => right.seenMs - left.seenMs);
        return listAnswer({}, 'instances', instances, presentInstance);
      }),
  },
);

const getOutdatedSdks = metricsRoute('GET /api/admin/metrics/sdks/outdated', 'getOutdatedSdks', {
  access: { permission: 'READ' },
  summary: 'SDKs in use that are outdated, and the applications that use them',
  responses: { 200: { description: 'Outdated SDKs that reported within a day', schema: OutdatedSdksSchema } },
  errors: [503],
  handle: ({ caller }, { state, useReader }) =>
    readOrReject(async () => {
      const use = await useReader.applications();
      const visible = visibleProjects(state, caller);
      const reported = [...state.values('applications')].filter(reportedApplications(use, visible));
      return ok(outdatedSdks(everywhere(reported), use));
    }),
});

function* everywhere(applications: Iterable<Application>): Generator<readonly [string, null]> {
  for (const { appName } of applications) yield [appName, null];
}

const listProjectApplications = projectsRoute(
  'GET /api/admin/projects/:projectId/applications',
  'getProjectApplications',
  {
    access: { permission: 'READ', project: 'path.projectId' },
    summary: 'The applications that used flags of a project within a day',
    params: ProjectParams,
    query: ProjectApplicationsQuery,
    responses: { 200: { description: 'The applications', schema: ProjectApplicationsSchema } },
    errors: [503],
    handle: ({ params, query, asker }, { state, useReader }) =>
      readOrReject(async () => {
        const project = findProject(state, params.projectId);
        if (project instanceof Rejection) return project;
        const use = await useReader.applications();
        const found = matching(
          await inSlices(applicationsInProject(project.id, use, state), Slicer.of(asker)),
          ([name]) => name,
          query,
        );
        const page = pageOf(found, { limit: 25, ...query });
        return listAnswer({ total: found.length }, 'applications', page, ([name, environments]) =>
          presentInProject(name, environments, use),
        );
      }),
  },
);

const getProjectOutdatedSdks = projectsRoute(
  'GET /api/admin/projects/:projectId/sdks/outdated',
  'getOutdatedProjectSdks',
  {
    access: { permission: 'READ', project: 'path.projectId' },
    summary: 'Outdated SDKs that use flags of a project',
    params: ProjectParams,
    responses: { 200: { description: 'Outdated SDKs that reported within a day', schema: OutdatedSdksSchema } },
    errors: [503],
    handle: ({ params, asker }, { state, useReader }) =>
      readOrReject(async () => {
        const project = findProject(state, params.projectId);
        if (project instanceof Rejection) return project;
        const use = await useReader.applications();
        return ok(outdatedSdks(await inSlices(applicationsInProject(project.id, use, state), Slicer.of(asker)), use));
      }),
  },
);

export const applicationEndpoints = [
  listApplications,
  getApplication,
  saveApplication,
  removeApplication,
  getOverview,
  getInstances,
  getOutdatedSdks,
  listProjectApplications,
  getProjectOutdatedSdks,
];
