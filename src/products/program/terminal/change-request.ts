import { ProgramError } from '../subcommand.ts';
import { type AdminApi, pathOf } from './connection.ts';

/** The change that a command makes or requests. */
export interface WantedSwitch {
  readonly project: string;
  readonly environment: string;
  /** The name of the flag. */
  readonly name: string;
  readonly enabled: boolean;
}

interface ChangeRequest {
  readonly id: number;
  readonly title: string;
  readonly environment: string;
  readonly state: string;
  readonly minApprovals: number;
  readonly createdBy: { readonly id: number };
}

/** Creates a change request with this one change, and sends it to review. @throws ProgramError */
export async function requestSwitch(api: AdminApi, wanted: WantedSwitch, title: string) {
  const { project, environment, name, enabled } = wanted;
  await refuseDraft(api, project, environment);
  const change = { action: 'updateEnabled', feature: name, payload: { enabled } };
  const path = pathOf`/projects/${project}/environments/${environment}/change-requests`;
  const { body: draft } = await api.send<ChangeRequest>('POST', path, change);
  return sendToReview(api, project, draft.id, title);
}

/** Gives the draft a title and sends it to review. @throws ProgramError */
export async function sendToReview(api: AdminApi, project: string, id: number, title: string) {
  const own = pathOf`/projects/${project}/change-requests/${id}`;
  try {
    await api.send('PUT', `${own}/title`, { title });
    const { revision } = await api.send('PUT', `${own}/state`, { state: 'In review' });
    return { request: await api.get<ChangeRequest>(own), revision };
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    throw new ProgramError(`change request ${id} stays a draft: ${error.message}`);
  }
}

/**
 * The API adds changes to the caller's draft. The changes in it would be sent to review too, so a draft is not extended. @throws ProgramError if there
 * is one
 */
export async function refuseDraft(api: AdminApi, project: string, environment: string): Promise<void> {
  const { user } = await api.get<{ readonly user: { readonly id: number } }>('/user');
  const pending = await api.get<readonly ChangeRequest[]>(pathOf`/projects/${project}/change-requests/pending`);
  const draft = pending.find(
    (request) => request.state === 'Draft' && request.environment === environment && request.createdBy.id === user.id,
  );
  if (draft)
    throw new ProgramError(
      `you have a draft in ${environment} already, change request ${draft.id} "${draft.title}": send it to review, or discard it first`,
    );
}

/** Whether changes of the environment in the project need a review. @throws Refusal */
export async function isProtected(api: AdminApi, project: string, environment: string): Promise<boolean> {
  type Config = readonly { readonly environment: string; readonly changeRequestEnabled: boolean }[];
  const config = await api.get<Config>(pathOf`/projects/${project}/change-requests/config`);
  return config.some((entry) => entry.environment === environment && entry.changeRequestEnabled);
}
