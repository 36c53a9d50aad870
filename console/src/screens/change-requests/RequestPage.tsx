import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useParams } from 'wouter';
import { forget, useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useOpened } from '../../data/opened.ts';
import { useProductionNames } from '../../data/settings.ts';
import type { ChangeRequest } from '../../domain/model.ts';
import { isClosed } from '../../domain/requested.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { MultiSelect } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { dismissToastsAbout } from '../../kit/notices/toast.ts';
import { Avatar } from '../../kit/texts/Avatar.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { path } from '../../paths.ts';
import { FailureText } from '../../save/FailureText.tsx';
import { useQuickWrite, useWrite } from '../../save/use-write.ts';
import { hasNumber, requests as words } from '../../words/en/change-requests.ts';
import { parts } from '../../words/en/parts.ts';
import { RequestActions } from './RequestActions.tsx';
import { RequestDifference, useIsAuthor } from './RequestDifference.tsx';
import { RequestEffects } from './RequestEffects.tsx';
import {
  addComment,
  askReviewers,
  possibleReviewersQuery,
  rename,
  requestQuery,
  reviewersQuery,
} from './request-data.ts';

const nameOf = ({ username }: { username: string | null }) => username ?? '?';

function Person({ name }: { readonly name: string }) {
  return (
    <span className={styles.row}>
      <Avatar name={name} /> {name}
    </span>
  );
}

/** Who was asked, with their answers; the author asks more. */
function Reviewers({ request }: { readonly request: ChangeRequest }) {
  const { data: asked = [] } = useQuery(reviewersQuery(request.project, request.id));
  const isAuthor = useIsAuthor(request);
  const canAsk = isAuthor && !isClosed(request);
  const { data: possible = [] } = useQuery({
    ...possibleReviewersQuery(request.project, request.environment),
    enabled: canAsk,
  });
  const { run } = useQuickWrite();
  if (!canAsk) {
    return asked.length === 0 ? (
      <span className={styles.quiet}>{isClosed(request) ? words.noReviewersEnded : words.noReviewers}</span>
    ) : (
      asked.map(({ id, name, username }) => <Person key={id} name={name || username || String(id)} />)
    );
  }
  return (
    <MultiSelect
      label={words.askReviewers}
      placeholder={words.askReviewers}
      values={asked.map(({ id }) => String(id))}
      onChange={(ids) =>
        void run(() => askReviewers(request, ids.map(Number)), {
          text: words.askSaved,
          refresh: [keys.changeRequest(request.id)],
        })
      }
      options={possible.map(({ id, name, username, email }) => ({
        value: String(id),
        label: name || username || email || String(id),
      }))}
    />
  );
}

function People({ request }: { readonly request: ChangeRequest }) {
  return (
    <dl className={styles.facts}>
      <dt>{words.author}</dt>
      <dd className={styles.row}>
        <Person name={nameOf(request.createdBy)} />
        <span className={styles.quiet}>
          <TimeText at={request.createdAt} />
        </span>
      </dd>
      <dt>{words.approvals}</dt>
      <dd className={styles.row}>
        <Badge tone={request.approvals.length >= request.minApprovals ? 'good' : 'neutral'}>
          {words.approvalsOf(request.approvals.length, request.minApprovals)}
        </Badge>
        {request.approvals.map(({ createdBy }) => (
          <Person key={createdBy.id} name={nameOf(createdBy)} />
        ))}
      </dd>
      {request.rejections.length > 0 && (
        <>
          <dt>{words.rejectedBy}</dt>
          <dd className={styles.row}>
            {request.rejections.map(({ createdBy }) => (
              <Person key={createdBy.id} name={nameOf(createdBy)} />
            ))}
          </dd>
        </>
      )}
      <dt>{words.reviewers}</dt>
      <dd className={styles.row}>
        <Reviewers request={request} />
      </dd>
    </dl>
  );
}

function Comments({ request }: { readonly request: ChangeRequest }) {
  const form = `comment ${request.id}`;
  const [text, setText] = useKept('text', '', form);
  const { run, isPending, failure } = useWrite();
  const send = () =>
    run(() => addComment(request, text.trim()), {
      refresh: [keys.changeRequest(request.id)],
      onDone: () => forget(form),
    });
  return (
    <section className={styles.stack}>
      <h2 className={styles.heading}>{words.comments}</h2>
      {request.comments.length === 0 ? (
        <p className={styles.quiet}>{words.noComments}</p>
      ) : (
        <ol className={`${styles.list} ${styles.items}`}>
          {request.comments.map(({ id, text: comment, createdBy, createdAt }) => (
            <li key={id}>
              <Avatar name={nameOf(createdBy)} size={24} />
              <span className={styles.grow}>
                <strong className={styles.strong}>{nameOf(createdBy)}</strong>{' '}
                <span className={styles.quiet}>
                  <TimeText at={createdAt} />
                </span>
                <br />
                {comment}
              </span>
            </li>
          ))}
        </ol>
      )}
      <form
        className={styles.stack}
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '' && !isPending) void send();
        }}
      >
        <Field label={words.comment} isLabelHidden>
          <TextArea
            rows={2}
            maxLength={2000}
            placeholder={words.comment}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        <FailureText failure={failure} />
        <div>
          <Button
            pending={isPending}
            reason={text.trim() === '' ? parts.fieldMissing(words.comment) : undefined}
            type="submit"
          >
            {words.addComment}
          </Button>
        </div>
      </form>
    </section>
  );
}

function Schedule({ request }: { readonly request: ChangeRequest }) {
  const { schedule } = request;
  if (!schedule || request.state !== 'Scheduled') return null;
  const time = <TimeText at={schedule.scheduledAt} exact />;
  if (schedule.status === 'pending') {
    return (
      <Banner>
        {words.scheduledFor} {time}
      </Banner>
    );
  }
  return (
    <Banner tone="bad" title={schedule.status === 'failed' ? words.failedSchedule : words.suspendedSchedule}>
      {time}: {schedule.reason ?? schedule.failureReason}
    </Banner>
  );
}

function Rename({ request, onClose }: { readonly request: ChangeRequest; readonly onClose: () => void }) {
  const [title, setTitle] = useKept('title', request.title);
  return (
    <EditPanel<unknown>
      title={words.renameTitle}
      mayNot={undefined}
      problem={title.trim() === '' ? parts.fieldMissing(words.renameTitle) : undefined}
      save={() => rename(request, title.trim())}
      saved={{ text: words.renamed, refresh: [keys.changeRequest(request.id), keys.changeRequests()] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Field label={words.renameTitle}>
        <TextInput autoFocus maxLength={200} value={title} onChange={(event) => setTitle(event.target.value)} />
      </Field>
    </EditPanel>
  );
}

function Request({ request }: { readonly request: ChangeRequest }) {
  const [panel, setPanel] = useOpened('panel');
  const { project, id } = request;
  useEffect(() => dismissToastsAbout(path('changeRequest', { projectId: project, id })), [project, id]);
  const production = useProductionNames().has(request.environment);
  return (
    <Page
      name={words.named(request.title, request.id)}
      title={
        <>
          {request.title}
          {!hasNumber(request.title, request.id) && <span className={styles.count}>{words.number(request.id)}</span>}
          <StateBadge state={request.state} />
        </>
      }
      above={
        <Link className={styles.crumb} href={path('projectChangeRequests', { projectId: request.project })}>
          {words.ofProject(request.project)}
        </Link>
      }
      actions={<RequestActions request={request} production={production} onRename={() => setPanel('rename')} />}
    >
      <div className={styles.columns}>
        <div className={styles.stack}>
          <Schedule request={request} />
          <RequestDifference request={request} production={production} />
          <RequestEffects request={request} />
        </div>
        <div className={styles.stack}>
          <section className={styles.card} aria-label={words.people}>
            <EnvironmentMark name={request.environment} production={production} />
            <People request={request} />
          </section>
          <Comments request={request} />
        </div>
      </div>
      {panel === 'rename' && <Rename request={request} onClose={() => setPanel('')} />}
    </Page>
  );
}

export function RequestPage() {
  const { projectId = '', id = '' } = useParams<{ projectId: string; id: string }>();
  return (
    <Loaded query={useQuery(requestQuery(projectId, Number(id)))}>
      {(request) => <Request key={request.id} request={request} />}
    </Loaded>
  );
}
