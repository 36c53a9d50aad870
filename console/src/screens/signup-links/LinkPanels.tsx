import { useState } from 'react';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useUiConfig } from '../../data/settings.ts';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { CopyButton } from '../../kit/inputs/CopyButton.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { fieldSentences } from '../../parts/differences.ts';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { FieldList, firstOf, text } from '../../parts/fields.tsx';
import styles from '../../parts/parts.module.css';
import { expiryFields } from '../../people/expiry-fields.ts';
import { expiryOf, loginOf, nameOf } from '../../people/people-data.ts';
import { signupLinks as words } from '../../words/en/admin/signup-links.ts';
import { parts } from '../../words/en/parts.ts';
import { people } from '../../words/en/people/people.ts';
import { createLink, dayOf, type SignupLink, saveLink } from './link-data.ts';

const fields = {
  name: text(parts.name, { max: 255, hint: words.nameHint, isRequired: true }),
  ...expiryFields(['7', '30', '90', 'custom'], '7'),
};

export function CreateLink({
  onCreated,
  onClose,
}: {
  readonly onCreated: (link: SignupLink) => void;
  readonly onClose: () => void;
}) {
  const [values, setValues] = useKept('values', () => firstOf(fields));
  const { name, expiry, day } = values;
  const mayNot = useMay('ADMIN');
  const expiresAt = expiryOf(expiry, day, Date.now());
  const problem =
    (name.trim() === '' ? parts.fieldMissing(parts.name) : undefined) ?? (expiresAt ? undefined : people.dayMissing);
  return (
    <EditPanel<SignupLink>
      title={words.createTitle}
      mayNot={mayNot}
      problem={problem}
      label={parts.create}
      save={() => createLink(name.trim(), expiresAt ?? '')}
      saved={{ text: words.created(name.trim()), refresh: [keys.signupLinks] }}
      onSaved={onCreated}
      onClose={onClose}
    >
      <NoPasswords />
      <FieldList isNew fields={fields} values={values} onChange={setValues} />
    </EditPanel>
  );
}

function NoPasswords() {
  return useUiConfig()?.disablePasswordAuth ? <Banner tone="warn">{words.noPasswords}</Banner> : null;
}

function People({ link: { users } }: { readonly link: SignupLink }) {
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{words.people}</h3>
      {users.length === 0 ? (
        <p className={styles.quiet}>{words.noPeople}</p>
      ) : (
        <div className={styles.list}>
          <ul className={styles.items}>
            {users.map((user) => (
              <li key={user.id}>
                <span className={styles.grow}>{nameOf(user)}</span>
                <span className={styles.quiet}>
                  {loginOf(user)} · <TimeText at={user.createdAt} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

const NAMES = { enabled: words.enabled, day: words.newExpiry } as const;

export function EditLink({ link, onClose }: { readonly link: SignupLink; readonly onClose: () => void }) {
  const { secret, name, url } = link;
  const [base] = useState(() => ({ enabled: link.enabled, day: dayOf(link.expiresAt) }));
  const [values, setValues] = useKept('values', base);
  const mayNot = useMay('ADMIN');
  const isDayChanged = values.day !== base.day;
  const expiresAt = isDayChanged ? expiryOf('custom', values.day, Date.now()) : link.expiresAt;
  const save = (reason: string) =>
    saveLink(
      secret,
      {
        ...(values.enabled !== base.enabled && { enabled: values.enabled }),
        ...(isDayChanged && expiresAt !== undefined && { expiresAt }),
      },
      reason,
    );
  return (
    <EditPanel<SignupLink>
      title={name}
      mayNot={mayNot}
      problem={expiresAt === undefined ? words.expiryWrong : undefined}
      sentences={fieldSentences(base, values, NAMES)}
      effects={<People link={link} />}
      save={save}
      saved={{ text: words.saved(name), refresh: [keys.signupLinks] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <NoPasswords />
      <Field label={words.url}>
        <TextInput
          mono
          readOnly
          value={url}
          trailing={<CopyButton text={url} label={words.url.toLowerCase()} />}
          onFocus={(event) => event.target.select()}
        />
      </Field>
      <Checkbox
        label={words.enabled}
        checked={values.enabled}
        onChange={(enabled) => setValues({ ...values, enabled })}
      />
      <Field label={words.newExpiry} error={expiresAt === undefined ? words.expiryWrong : undefined}>
        <TextInput
          type="date"
          value={values.day}
          onChange={(event) => setValues({ ...values, day: event.target.value })}
        />
      </Field>
      <p className={styles.quiet}>{words.noDelete}</p>
    </EditPanel>
  );
}
