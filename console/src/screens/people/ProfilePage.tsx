import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { api, read, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMe } from '../../data/may.ts';
import { setSingleKeys, useSingleKeys } from '../../keys/registry.ts';
import { Badge } from '../../kit/Badge.tsx';
import { Button } from '../../kit/Button.tsx';
import { Checkbox } from '../../kit/Checkbox.tsx';
import { Field } from '../../kit/Field.tsx';
import { Tabs } from '../../kit/Tabs.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { TimeText } from '../../kit/TimeText.tsx';
import { path } from '../../paths.ts';
import { parts } from '../../words/en/parts.ts';
import { users, profile as words } from '../../words/en/people.ts';
import { FailureText } from '../parts/FailureText.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { Page } from '../parts/Page.tsx';
import styles from '../parts/parts.module.css';
import { useQuickWrite, useWrite } from '../parts/use-write.ts';
import { PersonalTokens } from './PersonalTokens.tsx';

const profileQuery = {
  queryKey: keys.own('profile'),
  queryFn: () => read(api.GET('/api/admin/user/profile')),
} as const;
const tokensQuery = {
  queryKey: keys.own('tokens'),
  queryFn: async () => (await read(api.GET('/api/admin/user/tokens'))).pats,
} as const;
const sessionsQuery = {
  queryKey: keys.own('sessions'),
  queryFn: async () => (await read(api.GET('/api/admin/user/sessions'))).sessions,
} as const;

function About() {
  const { data: me } = useMe();
  const query = useQuery(profileQuery);
  const singleKeys = useSingleKeys();
  return (
    <Loaded query={query} shape="text">
      {({ rootRole, projects }) => (
        <section className={styles.card}>
          <dl className={styles.facts}>
            <dt>{users.name}</dt>
            <dd>{me?.user.name || me?.user.username || me?.user.email}</dd>
            <dt>{words.role}</dt>
            <dd>
              {rootRole.name}. <span className={styles.quiet}>{rootRole.description}</span>
            </dd>
            <dt>{words.projects}</dt>
            <dd>
              {projects.length > 0 ? (
                <code>{projects.join(', ')}</code>
              ) : (
                <span className={styles.quiet}>{words.noProjects}</span>
              )}
            </dd>
          </dl>
          <Checkbox
            label={words.singleKeys}
            hint={words.singleKeysHint}
            checked={singleKeys}
            onChange={setSingleKeys}
          />
        </section>
      )}
    </Loaded>
  );
}

function Password() {
  const [old, setOld] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const { run, isPending, failure } = useWrite();
  const differs = again !== '' && again !== next ? words.differs : undefined;
  const missing = [
    [old, words.old],
    [next, words.next],
    [again, words.again],
  ].find(([value]) => value === '');
  const change = () =>
    run<unknown>(
      () =>
        write(
          api.POST('/api/admin/user/change-password', {
            body: { password: next, confirmPassword: again, oldPassword: old },
          }),
        ),
      {
        text: words.changed,
        refresh: [keys.own('sessions')],
        onDone: () => {
          setOld('');
          setNext('');
          setAgain('');
        },
      },
    );
  return (
    <form
      className={`${styles.stack} ${styles.narrow}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (!missing && !differs) void change();
      }}
    >
      <Field label={words.old} required>
        <TextInput
          type="password"
          autoComplete="current-password"
          value={old}
          onChange={(event) => setOld(event.target.value)}
        />
      </Field>
      <Field label={words.next} required>
        <TextInput
          type="password"
          autoComplete="new-password"
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
      </Field>
      <Field label={words.again} error={differs} required>
        <TextInput
          type="password"
          autoComplete="new-password"
          value={again}
          onChange={(event) => setAgain(event.target.value)}
        />
      </Field>
      <FailureText failure={failure} />
      <div>
        <Button
          kind="primary"
          type="submit"
          pending={isPending}
          reason={missing ? parts.fieldMissing(missing[1] ?? '') : differs}
        >
          {words.change}
        </Button>
      </div>
    </form>
  );
}

function Tokens() {
  return (
    <div className={`${styles.stack} ${styles.narrow}`}>
      <p className={styles.lead}>{words.tokensLead}</p>
      <Loaded query={useQuery(tokensQuery)} rows={3}>
        {(tokens) => (
          <PersonalTokens
            tokens={tokens}
            queryKey={keys.own('tokens')}
            create={(body) => write(api.POST('/api/admin/user/tokens', { body }))}
            remove={(id) => write(api.DELETE('/api/admin/user/tokens/{id}', { params: { path: { id } } }))}
          />
        )}
      </Loaded>
    </div>
  );
}

/** "Firefox on Linux" of a user agent. */
export function agentName(agent: string): string {
  const browser = /(Edg|Firefox|Chrome|Safari)\//.exec(agent)?.[1]?.replace('Edg', 'Edge');
  const system = /(Windows|Mac OS X|Android|iPhone|Linux)/.exec(agent)?.[1]?.replace('Mac OS X', 'macOS');
  return [browser, system].filter(Boolean).join(', ') || agent.slice(0, 40) || words.unknownAgent;
}

function Sessions() {
  const query = useQuery(sessionsQuery);
  const { run } = useQuickWrite();
  const refresh = [keys.own('sessions')];
  const end = (sessionId: string) =>
    void run<unknown>(
      () => write(api.DELETE('/api/admin/user/sessions/{sessionId}', { params: { path: { sessionId } } })),
      { text: words.ended, refresh },
    );
  return (
    <Loaded query={query} rows={3}>
      {(sessions) => (
        <div className={`${styles.stack} ${styles.narrow}`}>
          <div className={styles.list}>
            <ul className={styles.items}>
              {sessions.map(({ id, userAgent, createdAt, current }) => (
                <li key={id}>
                  <span className={styles.grow} title={userAgent}>
                    {agentName(userAgent)}{' '}
                    <span className={styles.quiet}>
                      {words.since} <TimeText at={createdAt} />
                    </span>
                  </span>
                  {current ? (
                    <Badge tone="good" dot>
                      {words.thisSession}
                    </Badge>
                  ) : (
                    <Button size="small" aria-label={words.endNamed(agentName(userAgent))} onClick={() => end(id)}>
                      {words.end}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </div>
          {sessions.length > 1 && (
            <div>
              <Button
                onClick={() =>
                  void run<unknown>(() => write(api.DELETE('/api/admin/user/sessions')), {
                    text: words.othersEnded,
                    refresh,
                  })
                }
              >
                {words.endOthers}
              </Button>
            </div>
          )}
        </div>
      )}
    </Loaded>
  );
}

type Tab = keyof typeof words.tabs;
const TABS = ['profile', 'password', 'tokens', 'sessions'] as const;

export function ProfilePage() {
  const params = useParams<{ tab?: string }>();
  const [, navigate] = useLocation();
  const tab: Tab = TABS.find((one) => one === params.tab) ?? 'profile';
  return (
    <Page name={words.title}>
      <Tabs<Tab>
        label={words.tabsLabel}
        value={tab}
        onChange={(value) =>
          navigate(value === 'profile' ? path('profile') : path('profileTab', { tab: value }), { replace: true })
        }
        tabs={TABS.map((value) => ({ value, label: words.tabs[value] }))}
      >
        {tab === 'profile' && <About />}
        {tab === 'password' && <Password />}
        {tab === 'tokens' && <Tokens />}
        {tab === 'sessions' && <Sessions />}
      </Tabs>
    </Page>
  );
}
