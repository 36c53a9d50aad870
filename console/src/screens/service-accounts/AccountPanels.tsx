import { useState } from 'react';
import { api, stated, write } from '../../data/client.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { fieldSentences } from '../../parts/differences.ts';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { nameOf, type Role, type ServiceAccount } from '../../people/people-data.ts';
import { RoleSelect } from '../../people/RoleSelect.tsx';
import { TokenSection } from '../../people/TokenSection.tsx';
import { parts } from '../../words/en/parts.ts';
import { people } from '../../words/en/people/people.ts';
import { serviceAccounts as words } from '../../words/en/people/service-accounts.ts';

interface CreateAccountProps {
  readonly roles: readonly Role[];
  readonly onCreated: (account: ServiceAccount) => void;
  readonly onClose: () => void;
}

const problemOf = (name: string) => (name.trim() === '' ? parts.fieldMissing(people.name) : undefined);

export function CreateAccount({ roles, onCreated, onClose }: CreateAccountProps) {
  const [name, setName] = useKept('name', '');
  const [username, setUsername] = useKept('username', '');
  const [chosen, setChosen] = useKept<number | null>('chosen', null);
  const mayNot = useMay('ADMIN');
  const rootRole = chosen ?? roles.find((one) => one.name === 'Viewer')?.id ?? roles[0]?.id ?? 0;
  return (
    <EditPanel<ServiceAccount>
      title={words.createTitle}
      mayNot={mayNot}
      problem={problemOf(name)}
      label={words.create}
      save={() =>
        write(
          api.POST('/api/admin/service-account', {
            body: { name: name.trim(), rootRole, ...(username && { username }) },
          }),
        )
      }
      saved={{ text: words.created(name.trim()), refresh: [keys.serviceAccounts] }}
      onSaved={onCreated}
      onClose={onClose}
    >
      <Field label={people.name} required>
        <TextInput autoFocus maxLength={255} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={words.username} hint={words.usernameHint}>
        <TextInput mono maxLength={255} value={username} onChange={(event) => setUsername(event.target.value.trim())} />
      </Field>
      <RoleSelect roles={roles} value={rootRole} onChange={setChosen} />
    </EditPanel>
  );
}

interface EditAccountProps {
  readonly account: ServiceAccount;
  readonly roles: readonly Role[];
  readonly onClose: () => void;
}

export function EditAccount({ account, roles, onClose }: EditAccountProps) {
  const [base] = useState(() => ({ name: account.name ?? '', rootRole: account.rootRole }));
  const [values, setValues] = useKept('values', base);
  const mayNot = useMay('ADMIN');
  const worded = ({ name, rootRole }: typeof base) => ({
    name,
    role: roles.find(({ id }) => id === rootRole)?.name ?? '',
  });
  const { id } = account;
  const refresh = [keys.serviceAccounts];
  return (
    <EditPanel<unknown>
      title={nameOf(account)}
      mayNot={mayNot}
      problem={problemOf(values.name)}
      sentences={fieldSentences(worded(base), worded(values), { name: people.name, role: people.rootRole })}
      save={(reason) =>
        write(
          api.PUT('/api/admin/service-account/{id}', {
            params: { path: { id } },
            headers: stated({ reason }),
            body: values,
          }),
        )
      }
      saved={{ text: words.saved(values.name.trim()), refresh }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Field label={people.name} required>
        <TextInput
          maxLength={255}
          value={values.name}
          onChange={(event) => setValues({ ...values, name: event.target.value })}
        />
      </Field>
      <RoleSelect
        roles={roles}
        value={values.rootRole}
        onChange={(rootRole) => setValues({ ...values, rootRole: rootRole ?? values.rootRole })}
      />
      <TokenSection
        tokens={account.tokens}
        mayNot={mayNot}
        refresh={refresh}
        create={(body) => write(api.POST('/api/admin/service-account/{id}/token', { params: { path: { id } }, body }))}
        remove={(tokenId) =>
          write(api.DELETE('/api/admin/service-account/{id}/token/{tokenId}', { params: { path: { id, tokenId } } }))
        }
      />
    </EditPanel>
  );
}

export function DeleteAccount({
  account,
  onClose,
}: {
  readonly account: ServiceAccount;
  readonly onClose: () => void;
}) {
  const name = nameOf(account);
  return (
    <ConfirmDialog<unknown>
      danger
      typed={name}
      title={words.deleteTitle(name)}
      sentences={words.deleteEffects}
      label={parts.delete}
      act={(reason) =>
        write(
          api.DELETE('/api/admin/service-account/{id}', {
            params: { path: { id: account.id } },
            headers: stated({ reason }),
          }),
        )
      }
      saved={{ text: words.deleted(name), refresh: [keys.serviceAccounts] }}
      onClose={onClose}
    />
  );
}
