import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readTagged, stated, write } from '../../data/client.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { Field } from '../../kit/inputs/Field.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { fieldSentences } from '../../parts/differences.ts';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import styles from '../../parts/parts.module.css';
import type { Role } from '../../people/people-data.ts';
import {
  inputOf,
  keyOf,
  permissionSentences,
  permissionsQuery,
  type RoleDetails,
  type RoleKind,
  roleQuery,
  sectionsOf,
} from '../../people/role-data.ts';
import { parts } from '../../words/en/parts.ts';
import { people } from '../../words/en/people/people.ts';
import { roles as words } from '../../words/en/people/roles.ts';
import { PermissionChoice } from './PermissionChoice.tsx';

interface Draft {
  readonly name: string;
  readonly description: string;
  readonly chosen: ReadonlySet<string>;
}

const bodyOf = ({ name, description, chosen }: Draft, type: RoleKind) => ({
  name: name.trim(),
  description,
  type,
  permissions: [...chosen].map(inputOf),
});

function problemOf({ name, chosen }: Draft): string | undefined {
  return name.trim() === ''
    ? parts.fieldMissing(people.name)
    : chosen.size === 0
      ? words.permissionsMissing
      : undefined;
}

interface FieldsProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly isNew?: boolean;
}

function Fields({ draft, onChange, isNew = false }: FieldsProps) {
  return (
    <>
      <Field label={people.name} required>
        <TextInput
          autoFocus={isNew}
          maxLength={100}
          value={draft.name}
          onChange={(event) => onChange({ ...draft, name: event.target.value })}
        />
      </Field>
      <Field label={people.description}>
        <TextArea
          rows={2}
          value={draft.description}
          onChange={(event) => onChange({ ...draft, description: event.target.value })}
        />
      </Field>
    </>
  );
}

export function CreateRole({ onClose }: { readonly onClose: () => void }) {
  const query = useQuery(permissionsQuery);
  const [kind, setKind] = useKept<RoleKind>('kind', 'custom');
  const [draft, setDraft] = useKept<Draft>('draft', { name: '', description: '', chosen: new Set() });
  const mayNot = useMay('ADMIN');
  const changeKind = (next: RoleKind) => {
    setKind(next);
    if (!query.data) return;
    const possible = new Set(sectionsOf(query.data, next).flatMap(({ permissions }) => permissions.map(keyOf)));
    setDraft({ ...draft, chosen: new Set([...draft.chosen].filter((key) => possible.has(key))) });
  };
  return (
    <EditPanel<unknown>
      title={words.createTitle}
      mayNot={mayNot}
      problem={problemOf(draft)}
      label={words.create}
      save={() => write(api.POST('/api/admin/roles', { body: bodyOf(draft, kind) }))}
      saved={{ canUndo: true, text: words.created(draft.name.trim()), refresh: [keys.roles, keys.users] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Fields isNew draft={draft} onChange={setDraft} />
      <div className={styles.tight}>
        <span className={styles.label}>{words.kind}</span>
        <Segmented<RoleKind>
          label={words.kind}
          value={kind}
          onChange={changeKind}
          options={(['custom', 'root-custom'] as const).map((value) => ({ value, label: words.types[value] }))}
        />
        <p className={styles.quiet}>{words.kindHints[kind]}</p>
      </div>
      <Loaded query={query} shape="text">
        {(all) => (
          <PermissionChoice
            key={kind}
            sections={sectionsOf(all, kind)}
            chosen={draft.chosen}
            reason={mayNot}
            onChange={(chosen) => setDraft({ ...draft, chosen })}
          />
        )}
      </Loaded>
    </EditPanel>
  );
}

interface RolePanelProps {
  readonly role: Role;
  readonly onClose: () => void;
}

/** What a role may do. Roles of Burgee itself are shown in the same way, and cannot be changed. */
export function RolePanel({ role, onClose }: RolePanelProps) {
  const query = useQuery(roleQuery(role.id));
  if (query.data) return <EditRole role={query.data} onClose={onClose} />;
  return (
    <Inspector title={role.name} onClose={onClose}>
      <Loaded query={query} shape="text">
        {() => null}
      </Loaded>
    </Inspector>
  );
}

function EditRole({ role, onClose }: { readonly role: RoleDetails; readonly onClose: () => void }) {
  const permissions = useQuery(permissionsQuery);
  const [base] = useState<Draft>(() => ({
    name: role.name,
    description: role.description ?? '',
    chosen: new Set(role.permissions.map(keyOf)),
  }));
  const [draft, setDraft] = useKept('draft', base);
  const mayNot = useMay('ADMIN');
  const isBuiltIn = role.type === 'root' || role.type === 'project';
  const kind: RoleKind = role.type === 'root' || role.type === 'root-custom' ? 'root-custom' : 'custom';
  const blocked = isBuiltIn ? words.isBuiltIn : mayNot;
  const params = { path: { roleId: role.id } };
  const save = (reason: string) =>
    ifUnchanged(
      () => readTagged(api.GET('/api/admin/roles/{roleId}', { params, cache: 'no-store' })),
      (now) => JSON.stringify(now) === JSON.stringify(role),
      (etag) =>
        write<unknown>(
          api.PUT('/api/admin/roles/{roleId}', {
            params,
            headers: stated({ reason, etag }),
            body: bodyOf(draft, kind),
          }),
        ),
    );
  const isAdmin = role.permissions.some(({ name }) => name === 'ADMIN');
  return (
    <EditPanel<unknown>
      title={role.name}
      mayNot={blocked}
      problem={problemOf(draft)}
      sentences={[
        ...fieldSentences(base, draft, { name: people.name, description: people.description }),
        ...permissionSentences(base.chosen, draft.chosen),
      ]}
      save={save}
      saved={{
        canUndo: true,
        text: words.saved(draft.name.trim()),
        refresh: [keys.roles, keys.role(role.id), keys.users],
      }}
      onSaved={onClose}
      onClose={onClose}
    >
      {isBuiltIn ? <p>{role.description}</p> : <Fields draft={draft} onChange={setDraft} />}
      {isAdmin ? (
        <p>{words.everything}</p>
      ) : (
        <Loaded query={permissions} shape="text">
          {(all) => (
            <PermissionChoice
              sections={sectionsOf(all, kind)}
              chosen={draft.chosen}
              reason={blocked}
              onChange={(chosen) => setDraft({ ...draft, chosen })}
            />
          )}
        </Loaded>
      )}
    </EditPanel>
  );
}
