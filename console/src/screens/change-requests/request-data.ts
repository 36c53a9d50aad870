import type { components } from '../../api/schema.d.ts';
import { api, read, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { EXAMPLES } from '../../data/save.ts';
import type { ChangeRequest } from '../../domain/model.ts';
import { keyOfContexts, type TriedContexts } from '../../domain/tried-contexts.ts';
import type { Tried } from '../../save/TriedOutcome.tsx';

export type Found = components['schemas']['changeRequestSearch']['changeRequests'][number];
export type State = ChangeRequest['state'];

const PATH = '/api/admin/projects/{projectId}/change-requests/{id}';
const pathOf = (project: string, id: number) => ({ path: { projectId: project, id } });

export interface Search {
  readonly state: string;
  readonly project: string;
  readonly createdBy: string;
  /** `true`: only requests that the person may approve, and did not. */
  readonly awaitsMyApproval: string;
  readonly offset: number;
}

export const PAGE = 50;

export const searchQuery = ({ offset, ...filters }: Search) => {
  const query = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
  return {
    queryKey: keys.changeRequests('search', filters, offset),
    queryFn: () =>
      read(api.GET('/api/admin/search/change-requests', { params: { query: { ...query, offset, limit: PAGE } } })),
  } as const;
};

export const requestQuery = (project: string, id: number) =>
  ({
    queryKey: keys.changeRequest(id),
    queryFn: () => read(api.GET(PATH, { params: pathOf(project, id) })),
    retry: false,
  }) as const;

export const reviewersQuery = (project: string, id: number) =>
  ({
    queryKey: [...keys.changeRequest(id), 'reviewers'],
    queryFn: async () => (await read(api.GET(`${PATH}/approvers`, { params: pathOf(project, id) }))).reviewers,
  }) as const;

export const possibleReviewersQuery = (project: string, environment: string) =>
  ({
    queryKey: ['user', 'list', 'reviewers', project, environment],
    queryFn: async () =>
      (
        await read(
          api.GET('/api/admin/projects/{projectId}/change-requests/available-reviewers/{environment}', {
            params: { path: { projectId: project, environment } },
          }),
        )
      ).reviewers,
  }) as const;

/** What the stored request would change, tried on the contexts. */
export const effectsQuery = ({ id, changesVersion }: ChangeRequest, contexts: TriedContexts) =>
  ({
    // Not below the key of the request: once it is closed, it cannot be tried any more.
    queryKey: keys.own('effects', id, changesVersion, keyOfContexts(contexts)),
    staleTime: 0,
    queryFn: async (): Promise<Tried> => ({
      answer: await read(
        api.POST('/api/admin/preview', {
          body: { changeRequest: id, contexts: contexts.sent as never, examples: EXAMPLES },
        }),
      ),
      contexts,
    }),
    retry: false,
  }) as const;

interface Move {
  readonly state: State;
  readonly comment?: string;
  readonly scheduledAt?: string;
}

/** On condition that the changes are those that the person saw. */
export const move = ({ project, id, changesVersion }: ChangeRequest, body: Move) =>
  write(
    api.PUT(`${PATH}/state`, {
      params: pathOf(project, id),
      body: { ...body, ...(changesVersion && { changesVersion }) },
    }),
  );

export const discard = ({ project, id }: ChangeRequest) =>
  write<unknown>(api.DELETE(PATH, { params: pathOf(project, id) }));

export const removeChange = ({ project, id }: ChangeRequest, changeId: number) =>
  write<unknown>(api.DELETE(`${PATH}/changes/{changeId}`, { params: { path: { projectId: project, id, changeId } } }));

export const addComment = ({ project, id }: ChangeRequest, text: string) =>
  write<unknown>(api.POST(`${PATH}/comments`, { params: pathOf(project, id), body: { text } }));

export const rename = ({ project, id }: ChangeRequest, title: string) =>
  write<unknown>(api.PUT(`${PATH}/title`, { params: pathOf(project, id), body: { title } }));

export const askReviewers = ({ project, id }: ChangeRequest, reviewers: readonly number[]) =>
  write<unknown>(api.PUT(`${PATH}/approvers`, { params: pathOf(project, id), body: { reviewers: [...reviewers] } }));
