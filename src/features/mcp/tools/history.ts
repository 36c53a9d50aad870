import Type from 'typebox';
import { type Api, RefusedError, ToolError } from './api.ts';
import { projectOf } from './find-project.ts';
import { optionalName, tool } from './tool.ts';

const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 30;

interface Page {
  readonly entries: readonly unknown[];
  readonly next: number | null;
}

interface Place {
  readonly flag?: string | undefined;
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
}

export const history = tool({
  name: 'history',
  title: 'Read the history of changes',
  kind: 'read',
  description:
    'Returns who changed what and when, newest first, with the fields before and after: of one flag, one project, one environment, or of everything ' +
    'that the token may see.',
  hint: 'State a flag, or use a smaller limit.',
  input: {
    flag: optionalName('Name of a flag'),
    project: optionalName('Id of a project; with a flag: of its project'),
    environment: optionalName('Name of an environment; without a flag or project'),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMIT_MAX, description: `Number of commits. Default: ${LIMIT_DEFAULT}` }),
    ),
    before: Type.Optional(
      Type.Integer({ minimum: 1, description: 'For the next page: the `next` of the page before it' }),
    ),
  },
  async run({ flag, project, environment, limit = LIMIT_DEFAULT, before }, { api }) {
    if (environment !== undefined && (flag !== undefined || project !== undefined))
      throw new ToolError('State either an environment, or a flag or project.');
    try {
      const { entries, next } = await historyPage(api, { flag, project, environment }, { limit, before });
      return { entries, next };
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== 404) throw error;
      return { events: await eventsOf(api, { flag, project, environment }, limit, error) };
    }
  },
});

async function historyPage(
  api: Api,
  { flag, project, environment }: Place,
  query: { readonly limit: number; readonly before: number | undefined },
): Promise<Page> {
  if (flag !== undefined) {
    const params = { projectId: await projectOf(api, flag, project), featureName: flag };
    return api.get('/api/admin/projects/:projectId/features/:featureName/history', { params, query });
  }
  if (project !== undefined)
    return api.get('/api/admin/projects/:projectId/history', { params: { projectId: project }, query });
  if (environment !== undefined)
    return api.get('/api/admin/environments/:name/history', { params: { name: environment }, query });
  return api.get('/api/admin/history', { query });
}

/** The audit events, for a service that has no histories, such as Unleash. `refusal` is the answer of the history. */
async function eventsOf(
  api: Api,
  { flag, project, environment }: Place,
  limit: number,
  refusal: RefusedError,
): Promise<readonly unknown[]> {
  const is = (value: string | undefined) => (value === undefined ? undefined : `IS:${value}`);
  const query = { feature: is(flag), project: is(project), environment: is(environment), limit };
  const { events } = await api.get<{ events: readonly Record<string, unknown>[] }>('/api/admin/search/events', {
    query,
  });
  if (events.length === 0) throw refusal;
  return events.map(({ id, type, createdBy, createdAt, project, environment, featureName, data, preData }) => ({
    id,
    type,
    createdBy,
    createdAt,
    project,
    environment,
    featureName,
    data,
    preData,
  }));
}
