import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { BASE_PATH } from '../../base-path.ts';
import { api, read, write } from '../../data/client.ts';
import type { Failure } from '../../data/failure.ts';
import { Button, buttonClass } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { signOn as words } from '../../words/en/shell.ts';
import styles from './SignOn.module.css';

/** Whole seconds until a time, counted down; 0 afterwards. */
function useSecondsUntil(at: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  const isAhead = at !== null && at > now;
  useEffect(() => {
    if (!isAhead) return;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [isAhead]);
  return isAhead ? Math.ceil((at - now) / 1000) : 0;
}

/** The path of the page without the base path, as the server takes it for `return`. */
const here = () => {
  const whole = location.pathname + location.search + location.hash;
  return whole.startsWith(BASE_PATH) ? whole.slice(BASE_PATH.length) || '/' : whole;
};

interface SignOnFormProps {
  readonly onSignedOn: () => void;
  /** Other ways than a password leave the page: with `keepPage` they open a window, because the page has drafts. */
  readonly keepPage?: boolean;
}

interface OtherWaysProps {
  readonly ways: readonly { readonly type: string; readonly name: string; readonly path: string }[];
  readonly isPrimary: boolean;
  readonly keepPage: boolean;
}

function OtherWays({ ways, isPrimary, keepPage }: OtherWaysProps) {
  return ways.map(({ type, name, path }) => (
    <a
      key={type}
      className={buttonClass({ kind: isPrimary ? 'primary' : 'secondary' })}
      href={keepPage ? `${path}?return=/signed-on` : `${path}?return=${encodeURIComponent(here())}`}
      {...(keepPage ? { target: '_blank', rel: 'opener' } : {})}
    >
      {words.with(name)}
    </a>
  ));
}

export function SignOnForm({ onSignedOn, keepPage = false }: SignOnFormProps) {
  const options = useQuery({ queryKey: ['own', 'sign-on-options'], queryFn: () => read(api.GET('/auth/options')) });
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const wait = useSecondsUntil(failure?.retryAt ?? null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isPending || wait > 0) return;
    setPending(true);
    const answer = await write(api.POST('/auth/simple/login', { body: { username, password } }));
    setPending(false);
    setFailure(answer.ok ? null : answer.failure);
    if (answer.ok) onSignedOn();
  };

  const error = failure && (failure.status === 401 ? words.wrong : wait > 0 ? words.wait(wait) : failure.message);
  const others = options.data?.ways.filter(({ type }) => type !== 'password') ?? [];
  return (
    <div className={styles.ways}>
      <OtherWays ways={others} isPrimary={!options.data?.passwordsEnabled} keepPage={keepPage} />
      {others.length > 0 && keepPage && <p className={styles.hint}>{words.elsewhereHint}</p>}
      {others.length > 0 && options.data?.passwordsEnabled && <p className={styles.or}>{words.or}</p>}
      {options.data?.passwordsEnabled && (
        <form onSubmit={(event) => void submit(event)} className={styles.form}>
          <Field label={words.username}>
            <TextInput
              name="username"
              autoComplete="username"
              autoFocus
              required
              value={username}
              onChange={(event) => setUsername(event.target.value)}
            />
          </Field>
          <Field label={words.password} {...(error ? { error } : {})}>
            <TextInput
              name="password"
              type="password"
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          </Field>
          <Button type="submit" kind="primary" pending={isPending} {...(wait > 0 ? { reason: words.wait(wait) } : {})}>
            {words.signOn}
          </Button>
          <p role="status" className="visually-hidden">
            {error}
          </p>
        </form>
      )}
      {options.data?.ways.length === 0 && <p>{words.noWay}</p>}
      {options.error && (
        <p role="alert" className={styles.error}>
          {options.error.message}
        </p>
      )}
    </div>
  );
}
