import { useState } from 'react';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { Checkbox } from '../../kit/Checkbox.tsx';
import { CopyButton } from '../../kit/CopyButton.tsx';
import { Field } from '../../kit/Field.tsx';
import { Inspector } from '../../kit/Inspector.tsx';
import { Select } from '../../kit/Select.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { parts } from '../../words/en/parts.ts';
import { users as words } from '../../words/en/people.ts';
import { fieldSentences } from '../parts/differences.ts';
import { EditPanel } from '../parts/EditPanel.tsx';
import styles from '../parts/parts.module.css';
import { nameOf, type Role, type User } from './people-data.ts';

interface RoleFieldProps {
  readonly roles: readonly Role[];
  readonly value: number;
  readonly onChange: (role: number) => void;
}

export function RoleField({ roles, value, onChange }: RoleFieldProps) {
  return (
    <Field label={words.role} hint={roles.find(({ id }) => id === value)?.description}>
      <Select
        value={String(value)}
        onChange={(id) => onChange(Number(id))}
        options={roles.map(({ id, name }) => ({ value: String(id), label: name }))}
      />
    </Field>
  );
}

const defaultRole = (roles: readonly Role[]) => (roles.find(({ name }) => name === 'Viewer') ?? roles[0])?.id ?? 1;

interface CreateUserProps {
  readonly roles: readonly Role[];
  readonly onCreated: (user: User) => void;
  readonly onClose: () => void;
}

export function CreateUser({ roles, onCreated, onClose }: CreateUserProps) {
  const [name, setName] = useState('');
  const [who, setWho] = useState('');
  const [chosen, setChosen] = useState<number | null>(null);
  const [sendEmail, setSendEmail] = useState(false);
  const mayNot = useMay('ADMIN');
  const rootRole = chosen ?? defaultRole(roles);
  const isEmail = who.includes('@');
  return (
    <EditPanel<User>
      title={words.createTitle}
      mayNot={mayNot}
      problem={who.trim() === '' ? parts.fieldMissing(words.who) : undefined}
      label={words.create}
      save={() =>
        write(
          api.POST('/api/admin/user-admin', {
            body: {
              name: name.trim() || null,
              ...(isEmail ? { email: who.trim() } : { username: who.trim() }),
              rootRole,
              sendEmail: isEmail && sendEmail,
            },
          }),
        )
      }
      saved={{ text: words.created(name.trim() || who.trim()), refresh: [keys.users] }}
      onSaved={onCreated}
      onClose={onClose}
    >
      <Field label={words.who} required>
        <TextInput autoFocus maxLength={200} value={who} onChange={(event) => setWho(event.target.value)} />
      </Field>
      <Field label={words.name}>
        <TextInput maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <RoleField roles={roles} value={rootRole} onChange={setChosen} />
      {isEmail && (
        <Checkbox label={words.sendEmail} hint={words.sendHint} checked={sendEmail} onChange={setSendEmail} />
      )}
    </EditPanel>
  );
}

export function EditUser({
  user,
  roles,
  onClose,
}: {
  readonly user: User;
  readonly roles: readonly Role[];
  readonly onClose: () => void;
}) {
  const [base] = useState(() => ({ name: user.name ?? '', email: user.email ?? '', rootRole: user.rootRole }));
  const [values, setValues] = useState(base);
  const mayNot = useMay('ADMIN');
  const shown = ({ name, email, rootRole }: typeof base) => ({
    name,
    email,
    rootRole: roles.find(({ id }) => id === rootRole)?.name ?? String(rootRole),
  });
  return (
    <EditPanel<unknown>
      title={nameOf(user)}
      mayNot={mayNot}
      sentences={fieldSentences(shown(base), shown(values), {
        name: words.name,
        email: words.email,
        rootRole: words.role,
      })}
      save={(reason) =>
        write(
          api.PUT('/api/admin/user-admin/{id}', {
            params: { path: { id: user.id } },
            headers: stated({ reason }),
            body: {
              name: values.name.trim() || null,
              ...(values.email !== base.email && { email: values.email.trim() }),
              rootRole: values.rootRole,
            },
          }),
        )
      }
      saved={{ text: words.saved(nameOf(user)), refresh: [keys.users, keys.me] }}
      onSaved={onClose}
      onClose={onClose}
    >
      {user.username && (
        <p>
          {words.username}: <code>{user.username}</code>
        </p>
      )}
      <Field label={words.name}>
        <TextInput
          maxLength={100}
          value={values.name}
          onChange={(event) => setValues({ ...values, name: event.target.value })}
        />
      </Field>
      <Field label={words.email}>
        <TextInput
          type="email"
          maxLength={200}
          value={values.email}
          onChange={(event) => setValues({ ...values, email: event.target.value })}
        />
      </Field>
      <RoleField roles={roles} value={values.rootRole} onChange={(rootRole) => setValues({ ...values, rootRole })} />
    </EditPanel>
  );
}

interface LinkPanelProps {
  readonly title: string;
  readonly name: string;
  readonly url: string;
  readonly onClose: () => void;
}

/** A link of an invitation or a reset. It is not stored: after a reload it is gone. */
export function LinkPanel({ title, name, url, onClose }: LinkPanelProps) {
  return (
    <Inspector
      title={title}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          {parts.done}
        </Button>
      }
    >
      <div className={styles.stack}>
        <Banner tone="warn">{words.linkHint(name)}</Banner>
        <Field label={words.link}>
          <TextInput mono readOnly value={url} onFocus={(event) => event.target.select()} />
        </Field>
        <div>
          <CopyButton text={url} label={words.link.toLowerCase()} isLabelShown />
        </div>
      </div>
    </Inspector>
  );
}
