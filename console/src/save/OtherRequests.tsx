import { Link } from 'wouter';
import { useOpenRequests } from '../data/feature.ts';
import type { Target } from '../data/save.ts';
import { Banner } from '../kit/notices/Banner.tsx';
import { path } from '../paths.ts';
import { requests as words } from '../words/en/change-requests.ts';

type Other = ReturnType<typeof useOpenRequests>[number];

/** Open change requests that change the same flag in the same environment. */
export function OtherRequests({ requests }: { readonly requests: readonly Other[] }) {
  if (requests.length === 0) return null;
  return (
    <Banner tone="warn">
      {requests.map(({ id, projectId, state }) => (
        <div key={id}>
          <Link href={path('changeRequest', { projectId, id })}>{words.other(id, state)}</Link> {words.alsoChanges}
        </div>
      ))}
    </Banner>
  );
}

/** Those of one flag. `except`: the draft that the change is added to, which the dialog names. */
export function OtherRequestsOf({ target, except }: { readonly target: Target; readonly except: string | undefined }) {
  const { project, environment, feature } = target;
  const all = useOpenRequests(project, environment, [feature]);
  return <OtherRequests requests={all.filter(({ id }) => String(id) !== except)} />;
}
