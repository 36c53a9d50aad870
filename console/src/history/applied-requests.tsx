import { useQueries } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, read } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import { path } from '../paths.ts';
import { history as words } from '../words/en/flags/feature-more.ts';
import styles from './HistoryList.module.css';

/** The change request that a commit applied. */
export interface AppliedRequest {
  readonly id: number;
  readonly project: string;
  readonly title: string;
  readonly approvedBy: readonly string[];
}

type Applied = ReadonlyMap<number, AppliedRequest>;

interface AppliedData {
  readonly changeRequestId: number;
  readonly title: string;
  /** Not in events of older versions. */
  readonly approvedBy?: readonly string[];
}

/** One search for all of the commits, by the index of the audit log. */
const appliedQuery = (revisions: readonly number[]) =>
  ({
    queryKey: keys.own('applied-requests', revisions),
    enabled: revisions.length > 0,
    // Commits do not change.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<Applied> => {
      const query = {
        type: 'IS:change-request-applied',
        groupId: `IS_ANY_OF:${revisions.join()}`,
        limit: String(revisions.length),
      };
      const { events } = await read(api.GET('/api/admin/search/events', { params: { query } }));
      return new Map(
        events.map(({ revision, project, data }) => {
          const { changeRequestId: id, title, approvedBy = [] } = data as unknown as AppliedData;
          return [revision ?? 0, { id, title, approvedBy, project: project ?? '' }];
        }),
      );
    },
  }) as const;

/** The change requests that the commits applied, by revision. Each page of commits is one search. */
export function useAppliedRequests(pages: readonly (readonly number[])[]): Applied {
  const found = useQueries({ queries: pages.map(appliedQuery) });
  return new Map(found.flatMap(({ data }) => [...(data ?? [])]));
}

export function AppliedRequestText({ request }: { readonly request: AppliedRequest }) {
  const { id, project, title, approvedBy } = request;
  return (
    <>
      <Link className={styles.then} href={path('changeRequest', { projectId: project, id })}>
        {words.request(title, id)}
      </Link>
      {approvedBy.length > 0 && ` · ${words.approvedBy(approvedBy.join(', '))}`}
    </>
  );
}
