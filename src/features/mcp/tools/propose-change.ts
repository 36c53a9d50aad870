import Type from 'typebox';
import { type Api, RefusedError, ToolError } from './api.ts';
import { type Change, Changes } from './changes.ts';
import { nameOf, Reason, type ToolContext, tool } from './tool.ts';

interface ChangeRequest {
  readonly id: number;
  readonly state: string;
  readonly title: string;
  readonly minApprovals: number;
  readonly changesVersion?: string;
  readonly features?: readonly { readonly changes: readonly unknown[] }[];
  readonly segments?: readonly { readonly changes: readonly unknown[] }[];
}

interface Place {
  readonly project: string;
  readonly environment: string;
}

const REQUEST_PATH = '/api/admin/projects/:projectId/change-requests/:id';
const FLAG_PATH = '/api/admin/projects/:projectId/features/:featureName/environments/:environment';

export const proposeChange = tool({
  name: 'propose_change',
  title: 'Propose changes of flags',
  kind: 'change',
  description:
    'Adds changes to a change request, which other people review and apply: nothing changes before that. Use preview first. If the environment needs no ' +
    'review, there are no change requests: the tool says so, and makes the change only if it was started with permission to write directly. Then send ' +
    'one change in each call.',
  hint: 'Propose fewer changes in one call.',
  input: {
    project: nameOf('Id of the project'),
    environment: nameOf('Name of the environment'),
    changes: Changes,
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Title of the change request' })),
    comment: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_000, description: 'For the reviewers; only with sendToReview' }),
    ),
    sendToReview: Type.Optional(
      Type.Boolean({ description: 'Sends the change request to review. Default: it stays a draft, for more changes' }),
    ),
    reason: Reason,
  },
  async run({ project, environment, changes, title, comment, sendToReview = false, reason }, context) {
    const place = { project, environment };
    if (!(await needsReview(context.api, place))) return writeDirectly(context, place, changes, reason);
    return propose(context.api, place, changes, { title, comment, sendToReview });
  },
});

/** Whether changes of the environment must be reviewed. A service without change requests answers 404. */
async function needsReview(api: Api, { project, environment }: Place): Promise<boolean> {
  type Config = readonly { readonly environment: string; readonly changeRequestEnabled: boolean }[];
  try {
    const params = { projectId: project };
    const config = await api.get<Config>('/api/admin/projects/:projectId/change-requests/config', { params });
    return config.some((entry) => entry.environment === environment && entry.changeRequestEnabled);
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return false;
    throw error;
  }
}

async function propose(
  api: Api,
  { project, environment }: Place,
  changes: readonly Change[],
  wanted: { readonly title: string | undefined; readonly comment: string | undefined; readonly sendToReview: boolean },
): Promise<Readonly<Record<string, unknown>>> {
  const { title, comment, sendToReview } = wanted;
  const path = '/api/admin/projects/:projectId/environments/:environment/change-requests';
  let request = await api.post<ChangeRequest>(path, { params: { projectId: project, environment }, body: changes });
  const params = { projectId: project, id: String(request.id) };
  const count = changesIn(request);
  const hasOthers = count > changes.length;
  if (title !== undefined && !hasOthers) await api.put(`${REQUEST_PATH}/title`, { params, body: { title } });
  const isSent = sendToReview && !hasOthers;
  if (isSent) {
    const { changesVersion } = request;
    const body = { state: 'In review', comment, ...(changesVersion !== undefined && { changesVersion }) };
    request = await api.put<ChangeRequest>(`${REQUEST_PATH}/state`, { params, body });
  }
  return {
    changeRequest: { id: request.id, state: request.state, changes: count, requiredApprovals: request.minApprovals },
    note: hasOthers
      ? 'Your draft contained other changes already, so its title was kept and it was not sent to review. Check it, and send it to review yourself.'
      : isSent
        ? 'The change request is in review. Nothing changes before it is approved and applied.'
        : 'The change request is a draft. Nothing changes before it is sent to review, approved and applied.',
  };
}

function changesIn({ features = [], segments = [] }: ChangeRequest): number {
  return [...features, ...segments].reduce((count, { changes }) => count + changes.length, 0);
}

async function writeDirectly(
  { api, writesDirectly }: ToolContext,
  place: Place,
  changes: readonly Change[],
  reason: string | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  if (!writesDirectly)
    throw new ToolError(
      'Nothing was changed: changes of this environment need no review, so they cannot be proposed, and this server may not change flags directly. ' +
        'Its operator can allow it: `burgee mcp --write-directly`, or MCP_WRITE_DIRECTLY=true of the service.',
    );
  const [change] = changes;
  if (change === undefined || changes.length > 1)
    throw new ToolError('Nothing was changed: without a change request, send one change in each call.');
  await write(api, place, change, reason);
  return {
    done: true,
    note: 'The environment needs no review: the change was made immediately, without a change request.',
  };
}

async function write(
  api: Api,
  { project, environment }: Place,
  change: Change,
  reason: string | undefined,
): Promise<void> {
  const { action, feature, payload } = change;
  if (feature === undefined) throw new ToolError('Nothing was changed: a change of a segment can only be proposed.');
  const params = { projectId: project, featureName: feature, environment };
  const { id, ...body } = (payload ?? {}) as { readonly id?: unknown; readonly enabled?: unknown };
  const strategy = { ...params, strategyId: String(id ?? '') };
  switch (action) {
    case 'updateEnabled':
      if (typeof body.enabled !== 'boolean')
        throw new ToolError(
          'Nothing was changed: the payload of updateEnabled is {"enabled": true} or {"enabled": false}.',
        );
      await api.post(`${FLAG_PATH}/${body.enabled ? 'on' : 'off'}`, { params, reason });
      return;
    case 'addStrategy':
      await api.post(`${FLAG_PATH}/strategies`, { params, body: payload ?? {}, reason });
      return;
    case 'updateStrategy':
      await updateStrategy(api, strategy, body, reason);
      return;
    case 'deleteStrategy':
      await api.delete(`${FLAG_PATH}/strategies/:strategyId`, { params: strategy, reason });
      return;
    default:
      throw new ToolError(
        'Nothing was changed: only updateEnabled, addStrategy, updateStrategy and deleteStrategy are possible without a change request.',
      );
  }
}

/** The operation replaces the strategy, so the properties that do not change are read first. */
async function updateStrategy(
  api: Api,
  params: Readonly<Record<string, string>>,
  properties: object,
  reason: string | undefined,
): Promise<void> {
  const path = `${FLAG_PATH}/strategies/:strategyId`;
  const current = await api.get<Readonly<Record<string, unknown>>>(path, { params });
  const { name, title, disabled, sortOrder, parameters, constraints, segments, variants } = current;
  const known = { name, title, disabled, sortOrder, parameters, constraints, segments, variants };
  await api.put(path, { params, body: { ...known, ...properties }, reason });
}
