import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, readTagged, stated, write } from '../../data/client.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { Field } from '../../kit/inputs/Field.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { fieldSentences } from '../../parts/differences.ts';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { FieldList, problemIn, text } from '../../parts/fields.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { groupsQuery, nameOf, type Role, type User } from '../../people/people-data.ts';
import { RoleSelect } from '../../people/RoleSelect.tsx';
import { parts } from '../../words/en/parts.ts';
import { people } from '../../words/en/people/people.ts';
import { users as words } from '../../words/en/people/users.ts';

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const VIEWER = 'Viewer';
const REFRESH = [keys.users];

interface CreateUserProps {
  readonly roles: readonly Role[];
  readonly onCreated: (user: User) => void;
  readonly onClose: () => void;
}

export function CreateUser({ roles, onCreated, onClose }: CreateUserProps) {
  const [name, setName] = useKept('name', '');
  const [email, setEmail] = useKept('email', '');
  const [username, setUsername] = useKept('username', '');
  const [rootRole, setRootRole] = useKept<number | null>('rootRole', null);
  const [first, setFirst] = useKept<keyof typeof words.firsts>('first', 'link');
  const [password, setPassword] = useState('');
  const mayNot = useMay('ADMIN');
  const role = rootRole ?? roles.find((one) => one.name === VIEWER)?.id ?? roles[0]?.id ?? 0;
  const emailProblem = email !== '' && !EMAIL.test(email) ? words.emailWrong : undefined;
  const problem =
    emailProblem ??
    (email === '' && username === '' ? words.loginMissing : undefined) ??
    (first === 'password' && password === '' ? words.passwordMissing : undefined);
  const shown = name.trim() || username || email;
  return (
    <EditPanel<User>
      title={words.createTitle}
      mayNot={mayNot}
      problem={problem}
      label={words.create}
      save={() =>
        write(
          api.POST('/api/admin/user-admin', {
            body: {
              rootRole: role,
              ...(name.trim() && { name: name.trim() }),
              ...(email && { email }),
              ...(username && { username }),
              ...(first === 'password' && { password }),
            },
          }),
        )
      }
      saved={{ text: first === 'link' ? words.created(shown) : words.added(shown), refresh: REFRESH }}
      onSaved={onCreated}
      onClose={onClose}
    >
      <Field label={parts.name}>
        <TextInput autoFocus maxLength={255} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={words.email} hint={words.emailHint} error={emailProblem}>
        <TextInput
          type="email"
          maxLength={254}
          value={email}
          onChange={(event) => setEmail(event.target.value.trim())}
        />
      </Field>
      <Field label={parts.username} hint={words.usernameHint}>
        <TextInput maxLength={255} value={username} onChange={(event) => setUsername(event.target.value.trim())} />
      </Field>
      <RoleSelect roles={roles} value={role} onChange={setRootRole} />
      <FirstPassword kind={first} onKind={setFirst} password={password} onPassword={setPassword} />
    </EditPanel>
  );
}

interface FirstPasswordProps {
  readonly kind: keyof typeof words.firsts;
  readonly onKind: (kind: keyof typeof words.firsts) => void;
  readonly password: string;
  readonly onPassword: (password: string) => void;
}

function FirstPassword({ kind, onKind, password, onPassword }: FirstPasswordProps) {
  return (
    <>
      <div className={styles.tight}>
        <span className={styles.label}>{words.first}</span>
        <Segmented<keyof typeof words.firsts>
          label={words.first}
          value={kind}
          onChange={onKind}
          options={[
            { value: 'link', label: words.firsts.link },
            { value: 'password', label: words.firsts.password },
          ]}
        />
      </div>
      {kind === 'password' && (
        <Field label={words.password} hint={words.passwordHint} required>
          <TextInput
            type="password"
            autoComplete="new-password"
            value={password}
            onChange={(event) => onPassword(event.target.value)}
          />
        </Field>
      )}
    </>
  );
}

interface EditUserProps {
  readonly user: User;
  readonly roles: readonly Role[];
  readonly onClose: () => void;
}

const NAMED = {
  name: text(parts.name, { max: 255 }),
  email: text(words.email, {
    max: 254,
    type: 'email',
    trims: true,
    problem: (value) => (EMAIL.test(value) ? undefined : words.emailWrong),
  }),
};

export function EditUser({ user, roles, onClose }: EditUserProps) {
  const [base] = useState(() => ({ name: user.name ?? '', email: user.email ?? '', rootRole: user.rootRole }));
  const [values, setValues] = useKept('values', base);
  const mayNot = useMay('ADMIN');
  const worded = ({ name, email, rootRole }: typeof base) => ({
    name,
    email,
    role: roles.find(({ id }) => id === rootRole)?.name ?? '',
  });
  const params = { path: { id: user.id } };
  const save = (reason: string) => {
    const { email, ...rest } = values;
    const body = { ...rest, ...(email !== base.email && { email }) };
    return ifUnchanged(
      () => readTagged(api.GET('/api/admin/user-admin/{id}', { params, cache: 'no-store' })),
      (now) => (now.name ?? '') === base.name && (now.email ?? '') === base.email && now.rootRole === base.rootRole,
      (etag) =>
        write<unknown>(api.PUT('/api/admin/user-admin/{id}', { params, headers: stated({ reason, etag }), body })),
    );
  };
  return (
    <EditPanel<unknown>
      title={words.editTitle(nameOf(user))}
      mayNot={mayNot}
      problem={problemIn(NAMED, values, false)}
      sentences={fieldSentences(worded(base), worded(values), {
        name: parts.name,
        email: words.email,
        role: people.rootRole,
      })}
      save={save}
      saved={{ text: words.saved(values.name || nameOf(user)), refresh: REFRESH }}
      onSaved={onClose}
      onClose={onClose}
    >
      <FieldList fields={NAMED} values={values} onChange={(_, changed) => setValues({ ...values, ...changed })} />
      <UsernameOf user={user} />
      <RoleSelect
        roles={roles}
        value={values.rootRole}
        onChange={(rootRole) => setValues({ ...values, rootRole: rootRole ?? values.rootRole })}
      />
      <GroupsOf user={user} />
    </EditPanel>
  );
}

function UsernameOf({ user }: { readonly user: User }) {
  if (!user.username) return null;
  return (
    <dl className={styles.facts}>
      <dt>{parts.username}</dt>
      <dd>
        <code>{user.username}</code>
      </dd>
    </dl>
  );
}

function GroupsOf({ user }: { readonly user: User }) {
  const { data = [] } = useQuery(groupsQuery);
  const groups = data.filter(({ users }) => users.some((one) => one.user.id === user.id));
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{words.groups}</h3>
      {groups.length === 0 ? (
        <p className={styles.quiet}>{words.noGroups}</p>
      ) : (
        <div className={styles.row}>
          {groups.map(({ id, name }) => (
            <Link key={id} className={styles.inline} href={path('group', { id })}>
              {name}
            </Link>
          ))}
        </div>
      )}
    </section>
  );
}

interface DeleteUserProps {
  readonly user: User;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

export function DeleteUser({ user, onDeleted, onClose }: DeleteUserProps) {
  const name = nameOf(user);
  return (
    <ConfirmDialog<unknown>
      danger
      title={parts.deleteTitle(name)}
      sentences={words.deleteEffects}
      label={parts.deleteMenu.replace('…', '')}
      typed={name}
      act={(reason) =>
        write(
          api.DELETE('/api/admin/user-admin/{id}', { params: { path: { id: user.id } }, headers: stated({ reason }) }),
        )
      }
      saved={{ text: words.deleted(name), refresh: [keys.users, keys.groups] }}
      onDone={onDeleted}
      onClose={onClose}
    />
  );
}
