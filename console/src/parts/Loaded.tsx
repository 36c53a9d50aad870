import type { UseQueryResult } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { Failure } from '../data/failure.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { EmptyState } from '../kit/notices/EmptyState.tsx';
import { Skeleton, type SkeletonProps } from '../kit/notices/Skeleton.tsx';
import { NotFound } from '../page/NotFound.tsx';
import { parts as words } from '../words/en/parts.ts';

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  readonly shape?: SkeletonProps['shape'];
  readonly rows?: number;
  readonly children: (value: T) => ReactNode;
}

/** A screen's part that depends on a read: it loads, it failed, the person may not see it, it does not exist. */
export function Loaded<T>({ query, shape = 'rows', rows = 6, children }: LoadedProps<T>) {
  const { data, error } = query;
  if (data !== undefined && !(error instanceof Failure && error.status === 404)) return children(data);
  if (!error) return <Skeleton shape={shape} rows={rows} />;
  if (error instanceof Failure && error.status === 404) return <NotFound />;
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
