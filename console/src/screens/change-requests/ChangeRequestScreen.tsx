import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { api, read, stated, write } from '../../data/client.ts';
import { Failure } from '../../data/failure.ts';
import { useFeature } from '../../data/feature.ts';
import { keys } from '../../data/keys.ts';
import { type ChangeRequest, settingsOf } from '../../domain/model.ts';
import { requestedWords } from '../../domain/requested.ts';
import { Badge } from '../../kit/Badge.tsx';
import { Banner } from '../../kit/Banner.tsx';
import { EnvironmentMark } from '../../kit/EnvironmentMark.tsx';
import { IconButton } from '../../kit/IconButton.tsx';
import { numberText } from '../../kit/number-text.ts';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { TimeText } from '../../kit/TimeText.tsx';
import { path } from '../../paths.ts';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import { useEnvironmentInfo } from '../../save/use-env-info.ts';
import { useWrite, type Writing } from '../../save/use-write.ts';
import { Words } from '../../save/Words.tsx';
import { NotFound } from '../../shell/NotFound.tsx';
import { Page, PageBody } from '../../shell/Page.tsx';
import { changeRequests as words } from '../../words/en/change-requests.ts';
import { save } from '../../words/en/save.ts';
import styles from './ChangeRequests.module.css';
import { Comments } from './Comments.tsx';
import { RequestActions } from './RequestActions.tsx';
import { toneOf } from './tone.ts';

const REQUEST = '/api/admin/projects/{projectId}/change-requests/{id}';
const CLOSED = new Set(['Applied', 'Cancelled', 'Rejected']);

interface FlagChangesProps {
  readonly request: ChangeRequest;
  readonly flag: ChangeRequest['features'][number];
  readonly writing: Writing;
}

function FlagChanges({ request, flag, writing }: FlagChangesProps) {
  const { data } = useFeature(request.project, flag.name);
  const segments = useSegmentNames();
  const source = data?.value.environments.find(({ name }) => name === request.environment);
  const now = source && settingsOf(source);
  const isOpen = !CLOSED.has(request.state) && request.state !== 'Scheduled';
  const discard = (changeId: number) =>
    writing.run(
      () =>
        write(
          api.DELETE(`${REQUEST}/changes/{changeId}`, {
            params: { path: { projectId: request.project, id: request.id, changeId } },
          }),
        ),
      words.done,
    );
  return (
    <div className={styles.flag}>
      <h3>
        <Link className={styles.link} href={path('feature', { projectId: request.project, featureId: flag.name })}>
          <code>{flag.name}</code>
        </Link>
      </h3>
      {flag.conflict && <Banner tone="warn">{words.conflict(flag.conflict)}</Banner>}
      <ul>
        {flag.changes.map((change) => (
          <li key={change.id} className={styles.change}>
            <div>
              {requestedWords(change, now, segments).map((text) => (
                <p key={text}>
                  <Words text={text} />
                </p>
              ))}
              {change.conflict && <p className={styles.quiet}>{words.conflict(change.conflict)}</p>}
            </div>
            {isOpen && (
              <IconButton
                size="small"
                icon={<Trash2 aria-hidden />}
                label={words.discardChange}
                onClick={() => void discard(change.id)}
              />
            )}
          </li>
        ))}
      </ul>
      {flag.defaultChange && <p className={styles.quiet}>{words.defaultChange}</p>}
    </div>
  );
}

/** What the request would change for made-up contexts, on the state as it is now. */
function Effects({ request }: { readonly request: ChangeRequest }) {
  const { data, error } = useQuery({
    queryKey: ['preview', request.id, request.state, request.changesVersion],
    queryFn: () =>
      read(
        api.POST('/api/admin/preview', {
          body: { changeRequest: request.id, contexts: { madeUp: { count: 1000 }, seed: 1 }, examples: 1 },
        }),
      ),
    retry: false,
  });
  if (error) return <Banner tone="warn">{error.message}</Banner>;
  return (
    <>
      {data?.flags.map(({ name, counts }) => (
        <p key={name} className={styles.counts}>
          <code>{name}</code>
          <span>{save.offToOn(numberText(counts.offToOn))}</span>
          <span>{save.onToOff(numberText(counts.onToOff))}</span>
          <span>{save.otherVariant(numberText(counts.otherVariant))}</span>
          <span>{save.unchanged(numberText(counts.unchanged))}</span>
        </p>
      ))}
      <p className={styles.quiet}>{save.madeUp}</p>
    </>
  );
}

function Facts({ request }: { readonly request: ChangeRequest }) {
  const names = (list: ChangeRequest['approvals']) => list.map(({ createdBy }) => createdBy.username).join(', ');
  const { schedule } = request;
  return (
    <div>
      <p className={styles.quiet}>
        {words.by(request.createdBy.username ?? '')} · <TimeText at={request.createdAt} /> ·{' '}
        {words.approvals(request.approvals.length, request.minApprovals)}
        {request.approvals.length > 0 && ` · ${words.approvedBy(names(request.approvals))}`}
        {request.rejections.length > 0 && ` · ${words.rejectedBy(names(request.rejections))}`}
      </p>
      {schedule && (
        <p>
          {words.scheduledFor} <TimeText at={schedule.scheduledAt} exact />
        </p>
      )}
      {schedule && schedule.status !== 'pending' && (
        <Banner tone="bad">{words.scheduleFailed(schedule.failureReason ?? schedule.reason ?? schedule.status)}</Banner>
      )}
    </div>
  );
}

function Changes({ request: data, writing }: { readonly request: ChangeRequest; readonly writing: Writing }) {
  return (
    <section className={styles.section}>
      <h2>{words.changes}</h2>
      {data.features.map((flag) => (
        <FlagChanges key={flag.name} request={data} flag={flag} writing={writing} />
      ))}
      {data.segments.map((segment) => (
        <div key={segment.name} className={styles.flag}>
          <h3>{segment.name}</h3>
          {segment.changes.map((change) =>
            requestedWords(change, undefined, new Map()).map((text) => <Words key={text} text={text} />),
          )}
        </div>
      ))}
    </section>
  );
}

function Title({ request: data, isProduction }: { readonly request: ChangeRequest; readonly isProduction: boolean }) {
  return (
    <>
      {data.title} <Badge tone={toneOf(data.state)}>{data.state}</Badge>
      <EnvironmentMark name={data.environment} production={isProduction} protected />
    </>
  );
}

type State = ChangeRequest['state'];
type StateMore = { readonly comment?: string; readonly scheduledAt?: string };

/** Names the changes that the person saw: if they are others by now, the server refuses. */
const changeState = ({ project, id, changesVersion }: ChangeRequest, state: State, more: StateMore) =>
  write(
    api.PUT(`${REQUEST}/state`, {
      params: { path: { projectId: project, id } },
      headers: stated({}),
      body: { state, ...more, ...(changesVersion ? { changesVersion } : {}) },
    }),
  );

/** One request: what it changes, who is affected, and what can be done with it now. */
export function ChangeRequestScreen() {
  const { projectId = '', id: idText = '' } = useParams<{ projectId: string; id: string }>();
  const id = Number(idText);
  const params = { path: { projectId, id } };
  const [, navigate] = useLocation();
  const { data, error } = useQuery({
    queryKey: keys.changeRequest(id),
    queryFn: () => read(api.GET(REQUEST, { params })),
    staleTime: 0,
  });
  const writing = useWrite();
  const [isStale, setStale] = useState(false);
  const info = useEnvironmentInfo({ project: projectId, environment: data?.environment ?? '' });
  if (error instanceof Failure && error.status === 404) return <NotFound />;
  if (error && !data) return <Banner tone="bad">{error.message}</Banner>;
  if (!data) return <Skeleton shape="card" />;

  const setState = async (state: State, more: StateMore = {}) => {
    setStale(false);
    const done = await writing.run(
      () => changeState(data, state, more),
      `${data.title}: ${state}`,
      state === 'Applied',
    );
    if (!done) setStale(true);
  };
  const discard = async () => {
    const done = await writing.run(() => write(api.DELETE(REQUEST, { params })), words.done);
    if (done) navigate(path('changeRequests'));
  };
  return (
    <Page
      name={data.title}
      above={<Link href={path('projectFeatures', { projectId })}>{projectId}</Link>}
      title={<Title request={data} isProduction={info.isProduction} />}
      actions={
        <RequestActions
          request={data}
          isProduction={info.isProduction}
          isPending={writing.isPending}
          onState={(state, more) => void setState(state, more)}
          onDiscard={() => void discard()}
        />
      }
    >
      <PageBody>
        <Facts request={data} />
        {writing.failure && (
          <Banner tone="bad">
            {isStale && writing.failure.status === 409 ? `${words.changedMeanwhile} ` : ''}
            {writing.failure.message}
          </Banner>
        )}
        <Changes request={data} writing={writing} />
        {!CLOSED.has(data.state) && (
          <section className={styles.section}>
            <h2>{words.effects}</h2>
            <Effects request={data} />
          </section>
        )}
        <Comments request={data} />
      </PageBody>
    </Page>
  );
}
