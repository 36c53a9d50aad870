import { useState } from 'react';
import { api, write } from '../../data/client.ts';
import { Button } from '../../kit/Button.tsx';
import { Field } from '../../kit/Field.tsx';
import { Inspector } from '../../kit/Inspector.tsx';
import { Select } from '../../kit/Select.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { FormPanel } from '../../save/FormPanel.tsx';
import { useWrite } from '../../save/use-write.ts';
import { people as words } from '../../words/en/profile.ts';
import { LinkToSend, nameOf, type User } from './UsersScreen.tsx';

interface UserFormProps {
  readonly user: User | undefined;
  readonly roles: readonly { readonly id: number; readonly name: string; readonly description: string }[];
  readonly onClose: () => void;
}

function Invited({ link, onClose }: { readonly link: string; readonly onClose: () => void }) {
  return (
    <Inspector
      title={words.invite}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          {words.done}
        </Button>
      }
    >
      <LinkToSend link={link} text={words.link} />
    </Inspector>
  );
}

/** Invites a person, or changes one. */
export function UserForm({ user, roles, onClose }: UserFormProps) {
  const [name, setName] = useState(user?.name ?? '');
  const [email, setEmail] = useState(user?.email ?? '');
  const [username, setUsername] = useState('');
  const [role, setRole] = useState(
    String(user?.rootRole ?? roles.find((one) => one.name === 'Editor')?.id ?? roles[0]?.id ?? ''),
  );
  const [link, setLink] = useState<string | null>(null);
  const writing = useWrite();
  const submit = async () => {
    const rootRole = Number(role);
    if (user) {
      const body = { name, rootRole, ...(email === '' ? {} : { email }) };
      const done = await writing.run(
        () => write(api.PUT('/api/admin/user-admin/{id}', { params: { path: { id: user.id } }, body })),
        words.saved(name || nameOf(user)),
      );
      if (done) onClose();
      return;
    }
    const body = { name, rootRole, ...(email === '' ? {} : { email }), ...(username === '' ? {} : { username }) };
    const done = await writing.run(
      () => write(api.POST('/api/admin/user-admin', { body })),
      words.created(name || email || username),
    );
    if (done?.value.inviteLink) setLink(done.value.inviteLink);
    else if (done) onClose();
  };
  if (link !== null) return <Invited link={link} onClose={onClose} />;
  return (
    <FormPanel
      title={user ? nameOf(user) : words.invite}
      onClose={onClose}
      onSubmit={() => void submit()}
      submit={user ? words.save : words.invite}
      isPending={writing.isPending}
      failure={writing.failure}
    >
      <Field label={words.name}>
        <TextInput autoFocus value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={words.email} hint={user ? undefined : words.eitherHint}>
        <TextInput type="email" value={email} onChange={(event) => setEmail(event.target.value)} />
      </Field>
      {!user && (
        <Field label={words.username}>
          <TextInput value={username} onChange={(event) => setUsername(event.target.value)} />
        </Field>
      )}
      <Field label={words.role}>
        <Select
          options={roles.map(({ id, name: label, description }) => ({
            value: String(id),
            label,
            hint: description,
          }))}
          value={role}
          onChange={setRole}
        />
      </Field>
    </FormPanel>
  );
}
