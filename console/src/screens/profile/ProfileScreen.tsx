import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { api, read, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMe } from '../../data/may.ts';
import { Badge } from '../../kit/Badge.tsx';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { CopyButton } from '../../kit/CopyButton.tsx';
import { Field } from '../../kit/Field.tsx';
import { IconButton } from '../../kit/IconButton.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { TimeText } from '../../kit/TimeText.tsx';
import { useWrite, type Writing } from '../../save/use-write.ts';
import { Page, PageBody } from '../../shell/Page.tsx';
import { profile as words } from '../../words/en/profile.ts';
import styles from './Profile.module.css';

const DAY_MS = 86_400_000;

function Password() {
  const [old, setOld] = useState('');
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const writing = useWrite();
  const isDifferent = again !== '' && again !== password;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isDifferent) return;
    const body = { oldPassword: old, password, confirmPassword: again };
    const done = await writing.run(() => write(api.POST('/api/admin/user/change-password', { body })), words.changed);
    if (!done) return;
    setOld('');
    setPassword('');
    setAgain('');
  };
  const field = (label: string, value: string, set: (value: string) => void, complete: string, error?: string) => (
    <Field label={label} error={error}>
      <TextInput
        type="password"
        autoComplete={complete}
        required
        value={value}
        onChange={(event) => set(event.target.value)}
      />
    </Field>
  );
  return (
    <section className={styles.section}>
      <h2>{words.password}</h2>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        {field(words.oldPassword, old, setOld, 'current-password')}
        {field(words.newPassword, password, setPassword, 'new-password')}
        {field(words.repeat, again, setAgain, 'new-password', isDifferent ? words.different : undefined)}
        {writing.failure && (
          <Banner tone="bad">{writing.failure.details[0]?.message ?? writing.failure.message}</Banner>
        )}
        <div>
          <Button type="submit" pending={writing.isPending} reason={isDifferent ? words.different : undefined}>
            {words.change}
          </Button>
        </div>
      </form>
    </section>
  );
}

function TokenList({ writing }: { readonly writing: Writing }) {
  const { data } = useQuery({
    queryKey: keys.own('tokens'),
    queryFn: async () => (await read(api.GET('/api/admin/user/tokens'))).pats,
  });
  if (data?.length === 0) return <p className={styles.quiet}>{words.noTokens}</p>;
  return (
    <ul>
      {data?.map((token) => (
        <li key={token.id} className={styles.item}>
          <span>{token.description}</span>
          <span className={styles.quiet}>
            {words.expires} <TimeText at={token.expiresAt} />
          </span>
          <IconButton
            size="small"
            icon={<Trash2 aria-hidden />}
            label={words.removeToken(token.description)}
            onClick={() =>
              void writing.run(
                () => write(api.DELETE('/api/admin/user/tokens/{id}', { params: { path: { id: token.id } } })),
                words.deleted,
              )
            }
          />
        </li>
      ))}
    </ul>
  );
}

function Tokens() {
  const [description, setDescription] = useState('');
  const [days, setDays] = useState('30');
  const [secret, setSecret] = useState<string | null>(null);
  const writing = useWrite();
  const create = async (event: FormEvent) => {
    event.preventDefault();
    const expiresAt = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    const done = await writing.run(
      () => write(api.POST('/api/admin/user/tokens', { body: { description, expiresAt } })),
      '',
    );
    if (!done) return;
    setSecret(done.value.secret ?? null);
    setDescription('');
  };
  return (
    <section className={styles.section}>
      <h2>{words.tokens}</h2>
      <p className={styles.quiet}>{words.tokensHint}</p>
      <TokenList writing={writing} />
      {secret && (
        <Banner tone="warn" action={<CopyButton text={secret} label={words.secretCopy} isLabelShown />}>
          {words.created} <code className={styles.secret}>{secret}</code>
        </Banner>
      )}
      <form className={styles.row} onSubmit={(event) => void create(event)}>
        <Field label={words.description}>
          <TextInput required value={description} onChange={(event) => setDescription(event.target.value)} />
        </Field>
        <Field label={words.days}>
          <TextInput
            inputMode="numeric"
            required
            value={days}
            onChange={(event) => setDays(event.target.value.replace(/\D/g, ''))}
          />
        </Field>
        <Button type="submit" pending={writing.isPending}>
          {words.createToken}
        </Button>
      </form>
      {writing.failure && <Banner tone="bad">{writing.failure.message}</Banner>}
    </section>
  );
}

function Sessions() {
  const { data } = useQuery({
    queryKey: keys.own('sessions'),
    queryFn: async () => (await read(api.GET('/api/admin/user/sessions'))).sessions,
  });
  const writing = useWrite();
  return (
    <section className={styles.section}>
      <h2>{words.sessions}</h2>
      <ul>
        {data?.map((session) => (
          <li key={session.id} className={styles.item}>
            <span>{session.userAgent}</span>
            <TimeText at={session.createdAt} />
            {session.current ? (
              <Badge tone="good">{words.thisOne}</Badge>
            ) : (
              <Button
                size="small"
                aria-label={words.endSession(session.userAgent)}
                onClick={() =>
                  void writing.run(
                    () =>
                      write(
                        api.DELETE('/api/admin/user/sessions/{sessionId}', {
                          params: { path: { sessionId: session.id } },
                        }),
                      ),
                    words.ended,
                  )
                }
              >
                {words.end}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <div>
        <Button
          pending={writing.isPending}
          onClick={() => void writing.run(() => write(api.DELETE('/api/admin/user/sessions')), words.ended)}
        >
          {words.endOthers}
        </Button>
      </div>
      {writing.failure && <Banner tone="bad">{writing.failure.message}</Banner>}
    </section>
  );
}

/** Who the person is, with the password, the tokens and the sessions. */
export function ProfileScreen() {
  const { data: me } = useMe();
  const { data } = useQuery({ queryKey: keys.own('profile'), queryFn: () => read(api.GET('/api/admin/user/profile')) });
  const name = me?.user.name || me?.user.username || me?.user.email || '';
  return (
    <Page title={words.title}>
      <PageBody>
        <section className={styles.section}>
          <h2>{name}</h2>
          <p>
            {me?.user.email} {words.role}: {data?.rootRole.name}
          </p>
          <p className={styles.quiet}>
            {words.projects}: {data?.projects.join(', ') || words.none}
          </p>
        </section>
        <Password />
        <Tokens />
        <Sessions />
      </PageBody>
    </Page>
  );
}
