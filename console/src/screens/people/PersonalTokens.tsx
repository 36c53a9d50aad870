import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Written } from '../../data/client.ts';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { CodeBlock } from '../../kit/CodeBlock.tsx';
import { CopyButton } from '../../kit/CopyButton.tsx';
import { Field } from '../../kit/Field.tsx';
import { IconButton } from '../../kit/IconButton.tsx';
import { Select } from '../../kit/Select.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { TimeText } from '../../kit/TimeText.tsx';
import { parts } from '../../words/en/parts.ts';
import { personal as words } from '../../words/en/people.ts';
import { FailureText } from '../parts/FailureText.tsx';
import styles from '../parts/parts.module.css';
import { useQuickWrite, useWrite } from '../parts/use-write.ts';
import type { PersonalToken } from './people-data.ts';

const DAY_MS = 86_400_000;
type Days = keyof typeof words.expiresIn;

interface PersonalTokensProps {
  readonly tokens: readonly PersonalToken[];
  readonly queryKey: readonly unknown[];
  readonly create: (body: { description: string; expiresAt: string }) => Promise<Written<PersonalToken>>;
  readonly remove: (id: number) => Promise<Written<unknown>>;
}

function Secret({ secret }: { readonly secret: string }) {
  return (
    <div className={styles.stack}>
      <Banner tone="warn">{words.once}</Banner>
      <Field label={words.secret}>
        <TextInput mono readOnly value={secret} onFocus={(event) => event.target.select()} />
      </Field>
      <div>
        <CopyButton text={secret} label={words.secret.toLowerCase()} isLabelShown />
      </div>
      <CodeBlock
        label={words.command}
        code={`curl -H 'Authorization: ${secret}' ${location.origin}/api/admin/projects`}
      />
    </div>
  );
}

/** Tokens with which tools act for a person or for a service account. The secret is shown once, after its creation. */
export function PersonalTokens({ tokens, queryKey, create, remove }: PersonalTokensProps) {
  const [description, setDescription] = useState('');
  const [days, setDays] = useState<Days>('90');
  const [secret, setSecret] = useState<string | null>(null);
  const { run, isPending, failure } = useWrite();
  const quick = useQuickWrite();
  const add = () =>
    run(
      () =>
        create({
          description: description.trim(),
          expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
        }),
      {
        text: words.created,
        refresh: [queryKey],
        onDone: (token) => {
          setDescription('');
          setSecret(token.secret ?? null);
        },
      },
    );
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{words.title}</h3>
      {secret && <Secret secret={secret} />}
      {tokens.length === 0 ? (
        <p className={styles.quiet}>{words.none}</p>
      ) : (
        <div className={styles.list}>
          <ul className={styles.items}>
            {tokens.map(({ id, description: name, expiresAt, seenAt }) => (
              <li key={id}>
                <span className={styles.grow}>
                  {name}{' '}
                  <span className={styles.quiet}>
                    {seenAt ? (
                      <>
                        {words.seen} <TimeText at={seenAt} />
                      </>
                    ) : (
                      words.neverSeen
                    )}
                    , {words.until} <TimeText at={expiresAt} />
                  </span>
                </span>
                <IconButton
                  size="small"
                  icon={<Trash2 aria-hidden />}
                  label={words.delete(name)}
                  onClick={() => void quick.run(() => remove(id), { text: words.deleted(name), refresh: [queryKey] })}
                />
              </li>
            ))}
          </ul>
        </div>
      )}
      <Field label={words.description}>
        <TextInput maxLength={100} value={description} onChange={(event) => setDescription(event.target.value)} />
      </Field>
      <Field label={words.expires}>
        <Select
          value={days}
          onChange={(value) => setDays(value as Days)}
          options={(['7', '30', '90', '365'] as const).map((value) => ({ value, label: words.expiresIn[value] }))}
        />
      </Field>
      <FailureText failure={failure} />
      <div>
        <Button
          pending={isPending}
          reason={description.trim() === '' ? parts.fieldMissing(words.description) : undefined}
          onClick={() => void add()}
        >
          {words.create}
        </Button>
      </div>
    </section>
  );
}
