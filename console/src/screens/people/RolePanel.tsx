import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../api/schema.d.ts';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { Checkbox } from '../../kit/Checkbox.tsx';
import { Field } from '../../kit/Field.tsx';
import { Segmented } from '../../kit/Segmented.tsx';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { TextArea, TextInput } from '../../kit/TextInput.tsx';
import { parts } from '../../words/en/parts.ts';
import { roles as words } from '../../words/en/people.ts';
import { fieldSentences, valueWords } from '../parts/differences.ts';
import { EditPanel } from '../parts/EditPanel.tsx';
import { matches } from '../parts/FilterInput.tsx';
import styles from '../parts/parts.module.css';
import { permissionsQuery, type Role, roleQuery } from './people-data.ts';

type Permission = components['schemas']['adminPermission'];
type Type = 'custom' | 'root-custom';

/** `NAME` or `NAME environment`: environments have no blanks in their names. */
const keyOf = ({ name, environment }: Pick<Permission, 'name' | 'environment'>) =>
  environment ? `${name} ${environment}` : name;

interface PermissionGroup {
  readonly title: string;
  readonly permissions: readonly Permission[];
}

function usePermissionGroups(type: Type): readonly PermissionGroup[] {
  const { data } = useQuery(permissionsQuery);
  if (!data) return [];
  if (type === 'root-custom') return [{ title: words.groups.root, permissions: data.root }];
  return [
    { title: words.groups.project, permissions: data.project },
    ...data.environments.map(({ name, permissions }) => ({
      title: words.inEnvironment(name),
      permissions: permissions.map((one) => ({ ...one, environment: name })),
    })),
  ];
}

interface PermissionsProps {
  readonly groups: readonly PermissionGroup[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
  readonly reason?: string | undefined;
}

function Permissions({ groups, chosen, onChange, reason }: PermissionsProps) {
  const [text, setText] = useState('');
  const set = (list: readonly Permission[], on: boolean) => {
    const next = new Set(chosen);
    for (const one of list) on ? next.add(keyOf(one)) : next.delete(keyOf(one));
    onChange(next);
  };
  return (
    <section className={styles.stack}>
      <div className={styles.between}>
        <h3 className={styles.heading}>{words.permissions}</h3>
        <span className={styles.quiet}>{words.chosen(chosen.size)}</span>
      </div>
      <TextInput
        type="search"
        size="small"
        aria-label={words.find}
        placeholder={words.find}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {groups.map(({ title, permissions }) => {
        const shown = permissions.filter(({ name, displayName }) => matches(text, name, displayName));
        if (shown.length === 0) return null;
        const count = shown.filter((one) => chosen.has(keyOf(one))).length;
        return (
          <fieldset key={title} className={styles.card}>
            <legend className="visually-hidden">{title}</legend>
            <div className={styles.between}>
              <strong>{title}</strong>
              <Checkbox
                label={words.all}
                reason={reason}
                checked={count === shown.length}
                mixed={count > 0 && count < shown.length}
                onChange={(on) => set(shown, on)}
              />
            </div>
            {shown.map((one) => (
              <Checkbox
                key={keyOf(one)}
                label={one.displayName}
                hint={<code>{one.name}</code>}
                reason={reason}
                checked={chosen.has(keyOf(one))}
                onChange={(on) => set([one], on)}
              />
            ))}
          </fieldset>
        );
      })}
    </section>
  );
}

interface Values {
  readonly name: string;
  readonly description: string;
  readonly chosen: ReadonlySet<string>;
}

function sentencesOf(before: Values, after: Values): string[] {
  const added = [...after.chosen].filter((key) => !before.chosen.has(key));
  const removed = [...before.chosen].filter((key) => !after.chosen.has(key));
  return [
    ...fieldSentences(before, after, { name: words.name, description: words.description }),
    ...(added.length > 0 ? [words.added(valueWords(added))] : []),
    ...(removed.length > 0 ? [words.removed(valueWords(removed))] : []),
  ];
}

const bodyOf = ({ name, description, chosen }: Values, type: Type) => ({
  name: name.trim(),
  description: description.trim(),
  type,
  permissions: [...chosen].map((key) => {
    const [permission = '', environment] = key.split(' ');
    return { name: permission, ...(environment !== undefined && { environment }) };
  }),
});

interface FormProps {
  readonly role?: Role;
  readonly base: Values;
  readonly onClose: () => void;
}

function Form({ role, base: given, onClose }: FormProps) {
  const [base] = useState(given);
  const [values, setValues] = useState(base);
  const isRootRole = role?.type === 'root' || role?.type === 'root-custom';
  const [type, setType] = useState<Type>(isRootRole ? 'root-custom' : 'custom');
  const groups = usePermissionGroups(type);
  const missing = useMay('ADMIN');
  const isBuiltIn = role?.type === 'root' || role?.type === 'project' ? words.isBuiltIn : undefined;
  const name = values.name.trim();
  return (
    <EditPanel<unknown>
      title={role ? role.name : words.createTitle}
      mayNot={isBuiltIn ?? missing}
      problem={name === '' ? parts.fieldMissing(words.name) : undefined}
      {...(role ? { sentences: sentencesOf(base, values) } : { label: words.create })}
      effects={role && !isBuiltIn && <p className={styles.quiet}>{words.savedEffect}</p>}
      save={(reason) =>
        role
          ? write<unknown>(
              api.PUT('/api/admin/roles/{roleId}', {
                params: { path: { roleId: role.id } },
                headers: stated({ reason }),
                body: bodyOf(values, type),
              }),
            )
          : write<unknown>(api.POST('/api/admin/roles', { body: bodyOf(values, type) }))
      }
      saved={{
        text: role ? words.saved(name) : words.created(name),
        refresh: [['role'], keys.users, keys.me, ['project']],
      }}
      onSaved={onClose}
      onClose={onClose}
    >
      {!isBuiltIn && (
        <>
          <Field label={words.name} required>
            <TextInput
              maxLength={100}
              value={values.name}
              onChange={(event) => setValues({ ...values, name: event.target.value })}
            />
          </Field>
          <Field label={words.description}>
            <TextArea
              rows={2}
              maxLength={2000}
              value={values.description}
              onChange={(event) => setValues({ ...values, description: event.target.value })}
            />
          </Field>
        </>
      )}
      {!role && (
        <Segmented<Type>
          label={words.where}
          value={type}
          onChange={(next) => {
            setType(next);
            setValues({ ...values, chosen: new Set() });
          }}
          options={[
            { value: 'custom', label: words.types.custom },
            { value: 'root-custom', label: words.types.root },
          ]}
        />
      )}
      <Permissions
        groups={groups}
        chosen={values.chosen}
        reason={isBuiltIn ?? missing}
        onChange={(chosen) => setValues({ ...values, chosen })}
      />
    </EditPanel>
  );
}

export function CreateRole({ onClose }: { readonly onClose: () => void }) {
  return <Form base={{ name: '', description: '', chosen: new Set() }} onClose={onClose} />;
}

export function EditRole({ role, onClose }: { readonly role: Role; readonly onClose: () => void }) {
  const { data } = useQuery(roleQuery(role.id));
  if (!data) return <Skeleton />;
  return (
    <Form
      role={role}
      base={{ name: role.name, description: role.description, chosen: new Set(data.permissions.map(keyOf)) }}
      onClose={onClose}
    />
  );
}
