import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Router } from 'wouter';
import { BASE_PATH } from '../base-path.ts';
import { Failure } from '../data/failure.ts';
import { followChanges } from '../data/live.ts';
import { meQuery } from '../data/may.ts';
import { useLocationInOrder } from '../data/opened.ts';
import { queryClient } from '../data/query-client.ts';
import { session, sessionStarted } from '../data/session.ts';
import { useStore } from '../data/store.ts';
import { Skeleton } from '../kit/notices/Skeleton.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { Frame } from './Frame.tsx';
import { SignOnScreen } from './sign-on/SignOnScreen.tsx';

/** The person whose data is on the page; if another one signs on, everything is read again. */
let shownUser: number | undefined;

async function signedOn(): Promise<void> {
  const me = await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
  sessionStarted();
  if (shownUser !== undefined && shownUser !== me.user.id) location.reload();
  else await queryClient.invalidateQueries();
}

function SignedOnOrNot() {
  const state = useStore(session);
  const me = useQuery({ ...meQuery, enabled: state !== 'none' });
  useEffect(() => {
    if (!me.data) return;
    shownUser ??= me.data.user.id;
    if (session.get() === 'unknown') sessionStarted();
  }, [me.data]);
  const isFollowing = state === 'signed-on';
  useEffect(() => (isFollowing ? followChanges() : undefined), [isFollowing]);
  if (state === 'none') return <SignOnScreen onSignedOn={() => void signedOn()} />;
  if (!me.data) {
    const isRefused = me.error instanceof Failure && me.error.status === 401;
    return me.error && !isRefused ? <p role="alert">{me.error.message}</p> : <Skeleton shape="rows" rows={8} />;
  }
  return <Frame onSignedOn={() => void signedOn()} />;
}

export function App() {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Router base={BASE_PATH} hook={useLocationInOrder}>
          <ErrorBoundary>
            <SignedOnOrNot />
          </ErrorBoundary>
        </Router>
      </QueryClientProvider>
    </CSPProvider>
  );
}
