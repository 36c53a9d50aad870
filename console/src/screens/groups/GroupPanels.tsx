import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readTagged, stated, write } from '../../data/client.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { MultiSelect } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { fieldSentences } from '../../parts/differences.ts';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { type Group, nameOf, type Role, rolesQuery } from '../../people/people-data.ts';
import { RoleSelect } from '../../people/RoleSelect.tsx';
import { peopleQuery } from '../../projects/project-data.ts';
import { parts } from '../../words/en/parts.ts';
import { groups as words } from '../../words/en/people/groups.ts';
import { people } from '../../words/en/people/people.ts';
import { ProjectRoles } from './ProjectRoles.tsx';

interface Draft {
  readonly name: string;
  readonly description: string;
  readonly members: readonly number[];
  readonly mappings: readonly string[];
  readonly rootRole: number | null;
}

const EMPTY: Draft = { name: '', description: '', members: [], mappings: [], rootRole: null };

const draftOf = ({ name, description, users, mappingsSSO, rootRole }: Group): Draft => ({
  name,
  description: description ?? '',
  members: users.map(({ user }) => user.id).sort((a, b) => a - b),
  mappings: mappingsSSO,
  rootRole,
});

const bodyOf = ({ name, description, members, mappings, rootRole }: Draft) => ({
  name: name.trim(),
  description,
  mappingsSSO: [...mappings],
  rootRole,
  users: members.map((id) => ({ user: { id } })),
});

interface FieldsProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly roles: readonly Role[];
  readonly isNew: boolean;
}

function Fields({ draft, onChange, roles, isNew }: FieldsProps) {
  const { data: all } = useQuery(peopleQuery);
  const options = (all?.users ?? []).map((user) => ({
    value: String(user.id),
    label: nameOf(user),
    hint: user.email ?? user.username ?? '',
  }));
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
      <Field label={words.members}>
        <MultiSelect
          options={options}
          values={draft.members.map(String)}
          onChange={(values) => onChange({ ...draft, members: values.map(Number).sort((a, b) => a - b) })}
          placeholder={words.membersPlaceholder}
        />
      </Field>
      <RoleSelect
        optional
        roles={roles}
        value={draft.rootRole}
        hint={words.roleHint}
        onChange={(rootRole) => onChange({ ...draft, rootRole })}
      />
      <Field label={words.mappings} hint={words.mappingsHint}>
        <MultiSelect
          newIs={words.newMapping}
          mono
          options={draft.mappings.map((value) => ({ value, label: value }))}
          values={draft.mappings}
          onChange={(mappings) => onChange({ ...draft, mappings })}
          placeholder={words.mappingsPlaceholder}
        />
      </Field>
    </>
  );
}

const problemOf = ({ name }: Draft) => (name.trim() === '' ? parts.fieldMissing(people.name) : undefined);

export function CreateGroup({
  onCreated,
  onClose,
}: {
  readonly onCreated: (group: Group) => void;
  readonly onClose: () => void;
}) {
  const { data: roles = [] } = useQuery(rolesQuery);
  const [draft, setDraft] = useKept('draft', EMPTY);
  const mayNot = useMay('ADMIN');
  return (
    <EditPanel<Group>
      title={words.createTitle}
      mayNot={mayNot}
      problem={problemOf(draft)}
      label={words.create}
      save={() => write(api.POST('/api/admin/groups', { body: bodyOf(draft) }))}
      saved={{ canUndo: true, text: words.created(draft.name.trim()), refresh: [keys.groups] }}
      onSaved={onCreated}
      onClose={onClose}
    >
      <Fields isNew draft={draft} onChange={setDraft} roles={roles} />
    </EditPanel>
  );
}

export function EditGroup({ group, onClose }: { readonly group: Group; readonly onClose: () => void }) {
  const { data: roles = [] } = useQuery(rolesQuery);
  const { data: all } = useQuery(peopleQuery);
  const [base] = useState(() => draftOf(group));
  const [draft, setDraft] = useKept('draft', base);
  const mayNot = useMay('ADMIN');
  const userName = (id: number) => {
    const user = all?.users.find((one) => one.id === id);
    return user ? nameOf(user) : `#${id}`;
  };
  const worded = ({ members, rootRole, ...rest }: Draft) => ({
    ...rest,
    members: members.map(userName),
    rootRole: roles.find(({ id }) => id === rootRole)?.name ?? '',
  });
  const names = {
    name: people.name,
    description: people.description,
    members: words.members,
    mappings: words.mappings,
    rootRole: people.rootRole,
  };
  const params = { path: { groupId: group.id } };
  const save = (reason: string) =>
    ifUnchanged(
      () => readTagged(api.GET('/api/admin/groups/{groupId}', { params, cache: 'no-store' })),
      (now) => JSON.stringify(draftOf(now)) === JSON.stringify(base),
      (etag) =>
        write<unknown>(
          api.PUT('/api/admin/groups/{groupId}', { params, headers: stated({ reason, etag }), body: bodyOf(draft) }),
        ),
    );
  return (
    <EditPanel<unknown>
      title={group.name}
      mayNot={mayNot}
      problem={problemOf(draft)}
      sentences={fieldSentences(worded(base), worded(draft), names)}
      save={save}
      saved={{ canUndo: true, text: words.saved(draft.name.trim()), refresh: [keys.groups] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Fields isNew={false} draft={draft} onChange={setDraft} roles={roles} />
      <ProjectRoles group={group} />
    </EditPanel>
  );
}

export function DeleteGroup({ group, onClose }: { readonly group: Group; readonly onClose: () => void }) {
  const { id, name, users, projects } = group;
  const shown = projects.slice(0, 5).map((project) => `\`${project}\``);
  const ofProjects = projects.length > 5 ? [...shown, words.more(projects.length - 5)] : shown;
  return (
    <ConfirmDialog<unknown>
      danger
      title={words.deleteTitle(name)}
      sentences={[
        words.deleteEffect(users.length),
        ...(projects.length > 0 ? [words.deleteProjects(ofProjects.join(', '))] : []),
      ]}
      label={parts.delete}
      act={(reason) =>
        write(
          api.DELETE('/api/admin/groups/{groupId}', { params: { path: { groupId: id } }, headers: stated({ reason }) }),
        )
      }
      saved={{ canUndo: true, text: words.deleted(name), refresh: [keys.groups] }}
      onClose={onClose}
    />
  );
}
