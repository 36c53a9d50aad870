import type { components } from '../api/schema.d.ts';
import { api, read } from '../data/client.ts';
import type { HistoryEntry } from '../domain/model.ts';
import { type Span, timesOf } from '../domain/span.ts';
import { path } from '../paths.ts';
import { recent as words } from '../words/en/recent.ts';

export type HistoryPage = components['schemas']['history'];

/** What a list of what happened is about. */
export interface Filters {
  readonly span: Span;
  /** The id of a user. Empty: all, as in the others. */
  readonly person: string;
  readonly feature: string;
  readonly project: string;
  readonly environment: string;
}

export function queryOf({ span, person }: Filters, now: number, limit: number) {
  const { fromMs, toMs } = timesOf(span, now);
  return {
    limit,
    ...(fromMs !== undefined && { from: new Date(fromMs).toISOString() }),
    ...(toMs !== undefined && { to: new Date(toMs).toISOString() }),
    ...(person !== '' && { createdBy: Number(person) }),
  };
}

/** A page of the commits. No address has two of the flag, the project and the environment: the caller compares the others. */
export function readHistoryPage(filters: Filters, before: number | undefined, limit: number): Promise<HistoryPage> {
  const { feature, project, environment } = filters;
  const query = { ...queryOf(filters, Date.now(), limit), ...(before !== undefined && { before }) };
  if (feature !== '')
    return read(api.GET('/api/admin/history', { params: { query: { ...query, type: 'feature', id: feature } } }));
  if (project !== '')
    return read(
      api.GET('/api/admin/projects/{projectId}/history', { params: { path: { projectId: project }, query } }),
    );
  if (environment !== '')
    return read(api.GET('/api/admin/environments/{name}/history', { params: { path: { name: environment }, query } }));
  return read(api.GET('/api/admin/history', { params: { query } }));
}

/** The first flag of the commit as it was before. */
export function flagBefore({ revision, changes }: HistoryEntry) {
  const flag = changes.find(({ type, kind }) => type === 'feature' && kind !== 'created');
  if (!flag?.project) return undefined;
  // A flag that was moved was in another project.
  const moves = changes.filter(({ type, id }) => type === 'feature' && id === flag.id).flatMap(({ fields }) => fields);
  const projectId = moves.find((field) => field.path === '/project')?.before ?? flag.project;
  const params = { projectId: String(projectId), featureId: flag.id };
  return { href: path('feature', params, { at: revision - 1 }), text: words.before };
}
