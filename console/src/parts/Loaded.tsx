import type { UseQueryResult } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import { type ReactNode, useContext } from 'react';
import { useSearch } from 'wouter';
import { Failure } from '../data/failure.ts';
import { openedIn } from '../data/opened.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { EmptyState } from '../kit/notices/EmptyState.tsx';
import { Skeleton, type SkeletonProps } from '../kit/notices/Skeleton.tsx';
import { NotFound } from '../page/NotFound.tsx';
import { parts as words } from '../words/en/parts.ts';
import { Deleted } from './RowPanel.tsx';

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  readonly shape?: SkeletonProps['shape'];
  readonly rows?: number;
  /** Something is typed on the page that is not saved. */
  readonly hasTyped?: boolean;
  readonly children: (value: T) => ReactNode;
}

/** A screen's part that depends on a read: it loads, it failed, the person may not see it, it does not exist. */
export function Loaded<T>({ query, shape = 'rows', rows = 6, hasTyped = false, children }: LoadedProps<T>) {
  const { data, error } = query;
  const isGone = error instanceof Failure && error.status === 404;
  const deleted = useContext(Deleted) ?? (isGone ? '' : undefined);
  // What is typed stays, until it is discarded or the panel is closed.
  const isKept = openedIn(useSearch()) !== '' || hasTyped;
  if (data !== undefined && (!isGone || isKept)) return <Deleted value={deleted}>{children(data)}</Deleted>;
  if (!error) return <Skeleton shape={shape} rows={rows} />;
  if (isGone) return <NotFound />;
  if (error instanceof Failure && error.status === 403) {
    return <EmptyState icon={<Lock aria-hidden />} sentence={`${words.noAccess} ${error.message}`} />;
  }
  return (
    <Banner
      tone="bad"
      title={words.failed}
      action={
        <Button size="small" onClick={() => void query.refetch()}>
          {words.again}
        </Button>
      }
    >
      {error.message}
    </Banner>
  );
}
