import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { api, read, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMe } from '../../data/may.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { nameOf } from '../../people/people-data.ts';
import { FailureText } from '../../save/FailureText.tsx';
import { useWrite } from '../../save/use-write.ts';
import { parts } from '../../words/en/parts.ts';
import { profile as words } from '../../words/en/people/profile.ts';

const profileQuery = {
  queryKey: keys.own('profile'),
  queryFn: () => read(api.GET('/api/admin/user/profile')),
} as const;
const optionsQuery = { queryKey: keys.own('sign-on-options'), queryFn: () => read(api.GET('/auth/options')) } as const;

const SHOWN_MAX = 30;

export function Account() {
  const { data: options } = useQuery(optionsQuery);
  return (
    <>
      <Facts />
      <section className={styles.card} aria-label={words.password}>
        <h2 className={styles.heading}>{words.password}</h2>
        {options?.passwordsEnabled === false ? <p className={styles.quiet}>{words.noPasswords}</p> : <ChangePassword />}
      </section>
    </>
  );
}

function Facts() {
  const { data: me } = useMe();
  const query = useQuery(profileQuery);
  return (
    <section className={styles.card}>
      <Loaded query={query} shape="text">
        {({ rootRole, projects }) => (
          <dl className={styles.facts}>
            <dt>{words.name}</dt>
            <dd>{me ? nameOf(me.user) : ''}</dd>
            {me?.user.email && (
              <>
                <dt>{words.email}</dt>
                <dd>{me.user.email}</dd>
              </>
            )}
            {me?.user.username && (
              <>
                <dt>{words.username}</dt>
                <dd>
                  <code>{me.user.username}</code>
                </dd>
              </>
            )}
            <dt>{words.role}</dt>
            <dd>
              <Badge>{rootRole.name}</Badge> <span className={styles.quiet}>{rootRole.description}</span>
            </dd>
            <dt>{words.projects}</dt>
            <dd>
              <div className={styles.row}>
                {projects.length === 0 && <span className={styles.quiet}>{words.noProjects}</span>}
                {projects.slice(0, SHOWN_MAX).map((id) => (
                  <Link key={id} className={styles.inline} href={path('projectFeatures', { projectId: id })}>
                    {id}
                  </Link>
                ))}
                {projects.length > SHOWN_MAX && (
                  <span className={styles.quiet}>{parts.more(projects.length - SHOWN_MAX)}</span>
                )}
              </div>
            </dd>
          </dl>
        )}
      </Loaded>
      <p className={styles.quiet}>{words.nameHint}</p>
    </section>
  );
}

const EMPTY = { oldPassword: '', password: '', confirmPassword: '' };

function ChangePassword() {
  const [values, setValues] = useState(EMPTY);
  const { run, isPending, failure } = useWrite();
  const { oldPassword, password, confirmPassword } = values;
  const areDifferent = confirmPassword !== '' && confirmPassword !== password ? words.different : undefined;
  const problem =
    (oldPassword === '' ? parts.fieldMissing(words.oldPassword) : undefined) ??
    (password === '' ? parts.fieldMissing(words.newPassword) : undefined) ??
    (confirmPassword === '' ? parts.fieldMissing(words.again) : areDifferent);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem) return;
    void run(() => write(api.POST('/api/admin/user/change-password', { body: values })), {
      text: words.passwordChanged,
      refresh: [keys.own('sessions')],
      onDone: () => setValues(EMPTY),
    });
  };
  const input = (name: keyof typeof EMPTY, autoComplete: string) => (
    <TextInput
      type="password"
      autoComplete={autoComplete}
      value={values[name]}
      onChange={(event) => setValues({ ...values, [name]: event.target.value })}
    />
  );
  return (
    <form className={styles.stack} onSubmit={submit}>
      <Field label={words.oldPassword}>{input('oldPassword', 'current-password')}</Field>
      <Field label={words.newPassword} hint={words.passwordHint}>
        {input('password', 'new-password')}
      </Field>
      <Field label={words.again} error={areDifferent}>
        {input('confirmPassword', 'new-password')}
      </Field>
      <FailureText failure={failure} />
      <div>
        <Button type="submit" kind="primary" pending={isPending} reason={problem}>
          {words.changePassword}
        </Button>
      </div>
    </form>
  );
}
