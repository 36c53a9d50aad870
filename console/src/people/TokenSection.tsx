import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Writing } from '../data/client.ts';
import { forget, useKept } from '../data/kept.ts';
import type { MayNot } from '../data/may.ts';
import { openedSearch, useOpened, useOpenedItem } from '../data/opened.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { IconButton } from '../kit/inputs/IconButton.tsx';
import { Badge } from '../kit/texts/Badge.tsx';
import { TimeText } from '../kit/texts/TimeText.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { FieldList, firstOf, text } from '../parts/fields.tsx';
import { ShownOnce } from '../parts/OncePanel.tsx';
import styles from '../parts/parts.module.css';
import { FailureText } from '../save/FailureText.tsx';
import { useWrite } from '../save/use-write.ts';
import { parts } from '../words/en/parts.ts';
import { people } from '../words/en/people/people.ts';
import { personalTokens as words } from '../words/en/people/service-accounts.ts';
import { expiryFields } from './expiry-fields.ts';
import { expiryOf, type PersonalToken } from './people-data.ts';

interface TokenSectionProps {
  readonly tokens: readonly PersonalToken[];
  readonly mayNot: MayNot;
  readonly lead?: string;
  /** Where a level is missing between the title of the screen and this one. */
  readonly heading?: 'h2' | 'h3';
  readonly create: (body: { description: string; expiresAt: string }) => Writing<PersonalToken>;
  readonly remove: (id: number) => Writing<unknown>;
  readonly refresh: readonly (readonly unknown[])[];
}

/** The tokens of an account. A new one shows its secret until the section is left. */
export function TokenSection({
  tokens,
  mayNot,
  lead = words.lead,
  heading: Heading = 'h3',
  create,
  remove,
  refresh,
}: TokenSectionProps) {
  const [adding, setAdding] = useOpened('create');
  const isAdding = adding === 'token';
  const form = `token ${location.pathname}${openedSearch()}`;
  const [made, setMade] = useState<PersonalToken | null>(null);
  const [deleting, setDeleting] = useOpenedItem('token', tokens, ({ id }) => id);
  return (
    <section className={styles.stack} aria-label={words.title}>
      <div className={styles.between}>
        <Heading className={styles.heading}>{words.title}</Heading>
        {!isAdding && (
          <Button size="small" icon={<Plus aria-hidden />} reason={mayNot} onClick={() => setAdding('token')}>
            {words.add}
          </Button>
        )}
      </div>
      <p className={styles.quiet}>{lead}</p>
      {made?.secret && <ShownOnce label={parts.token} secret={made.secret} />}
      {isAdding && (
        <CreateToken
          form={form}
          create={create}
          refresh={refresh}
          onCreated={(token) => {
            setMade(token);
            setAdding('');
          }}
          onClose={() => setAdding('')}
        />
      )}
      {tokens.length === 0 ? (
        !isAdding && <p className={styles.quiet}>{words.none}</p>
      ) : (
        <div className={styles.list}>
          <ul className={styles.items}>
            {tokens.map((token) => (
              <TokenRow key={token.id} token={token} mayNot={mayNot} onDelete={() => setDeleting(token)} />
            ))}
          </ul>
        </div>
      )}
      {deleting && (
        <ConfirmDialog<unknown>
          danger
          hasReason={false}
          title={words.deleteTitle(deleting.description)}
          sentences={[words.deleteEffect]}
          label={parts.delete}
          mayNot={mayNot}
          act={() => remove(deleting.id)}
          saved={{ text: words.deleted(deleting.description), refresh }}
          onDone={() => setMade((before) => (before?.id === deleting.id ? null : before))}
          onClose={() => setDeleting(null)}
        />
      )}
    </section>
  );
}

interface TokenRowProps {
  readonly token: PersonalToken;
  readonly mayNot: MayNot;
  readonly onDelete: () => void;
}

function TokenRow({ token, mayNot, onDelete }: TokenRowProps) {
  const isOver = Date.parse(token.expiresAt) < Date.now();
  return (
    <li>
      <div className={styles.grow}>
        <div>{token.description}</div>
        <div className={styles.quiet}>
          {token.seenAt ? (
            <>
              {words.lastUsed} <TimeText at={token.seenAt} />
            </>
          ) : (
            words.neverUsed
          )}
          {' · '}
          {!isOver && (
            <>
              {people.expires.toLowerCase()} <TimeText at={token.expiresAt} />
            </>
          )}
          {isOver && (
            <Badge tone="bad" dot>
              {people.expired}
            </Badge>
          )}
        </div>
      </div>
      {mayNot === undefined && (
        <IconButton icon={<Trash2 aria-hidden />} label={words.delete(token.description)} onClick={onDelete} />
      )}
    </li>
  );
}

interface CreateTokenProps extends Pick<TokenSectionProps, 'create' | 'refresh'> {
  readonly form: string;
  readonly onCreated: (token: PersonalToken) => void;
  readonly onClose: () => void;
}

const fields = {
  description: text(parts.description, { max: 255, hint: words.descriptionHint, isRequired: true }),
  ...expiryFields(['7', '30', '90', '365', 'custom'], '90'),
};

function CreateToken({ form, create, refresh, onCreated, onClose }: CreateTokenProps) {
  const [values, setValues] = useKept('values', () => firstOf(fields), form);
  const { description, expiry, day } = values;
  const { run, isPending, failure } = useWrite();
  const expiresAt = expiryOf(expiry, day, Date.now());
  const problem =
    (description.trim() === '' ? parts.fieldMissing(parts.description) : undefined) ??
    (expiresAt ? undefined : people.dayMissing);
  return (
    <form
      className={styles.card}
      onSubmit={(event) => {
        event.preventDefault();
        if (problem || !expiresAt) return;
        void run(() => create({ description: description.trim(), expiresAt }), {
          text: words.created,
          refresh,
          onDone: (token) => {
            forget(form);
            onCreated(token);
          },
        });
      }}
    >
      <FieldList isNew fields={fields} values={values} onChange={setValues} />
      <FailureText failure={failure} />
      <div className={styles.row}>
        <Button type="submit" kind="primary" pending={isPending} reason={problem}>
          {parts.createToken}
        </Button>
        <Button
          onClick={() => {
            forget(form);
            onClose();
          }}
        >
          {parts.cancel}
        </Button>
      </div>
    </form>
  );
}
