import type { components } from '../../api/schema.d.ts';
import { api, read, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import type { ChangeRequest, ContextField } from '../../domain/model.ts';

export type Found = components['schemas']['changeRequestSearch']['changeRequests'][number];
export type State = ChangeRequest['state'];

const PATH = '/api/admin/projects/{projectId}/change-requests/{id}';
const pathOf = (project: string, id: number) => ({ path: { projectId: project, id } });

export interface Search {
  readonly state: string;
  readonly project: string;
  readonly createdBy: string;
  readonly requestedApproverId: string;
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

/** More combinations than these would make the answer slow. */
const COMBINATIONS_MAX = 60;

/** The context fields that the request compares: their legal values are tried, because made-up users have no country. */
export function comparedFields(request: ChangeRequest, fields: readonly ContextField[]): string[] {
  const text = JSON.stringify([request.features, request.segments]);
  let combinations = 1;
  return fields.flatMap(({ name, legalValues }) => {
    const next = combinations * legalValues.length;
    if (legalValues.length === 0 || next > COMBINATIONS_MAX || !text.includes(`"contextName":${JSON.stringify(name)}`))
      return [];
    combinations = next;
    return [name];
  });
}

/** What the stored request would change, tried on made-up contexts. */
export const effectsQuery = ({ id, changesVersion }: ChangeRequest, legalValuesOf: readonly string[]) =>
  ({
    // Not below the key of the request: once it is closed, it cannot be tried any more.
    queryKey: keys.own('effects', id, changesVersion, legalValuesOf),
    staleTime: 0,
    queryFn: () =>
      read(
        api.POST('/api/admin/preview', {
          body: {
            changeRequest: id,
            contexts: {
              madeUp: { count: legalValuesOf.length > 0 ? 200 : 1000 } as never,
              legalValuesOf: [...legalValuesOf],
              seed: 1,
            },
            examples: 0,
          },
        }),
      ),
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
