import { useQuery } from '@tanstack/react-query';
import { Ellipsis, UsersRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useUrlState } from '../../data/url-state.ts';
import { MultiSelect } from '../../kit/Combobox.tsx';
import { Field } from '../../kit/Field.tsx';
import { Menu } from '../../kit/Menu.tsx';
import { NumberText } from '../../kit/NumberText.tsx';
import { Select } from '../../kit/Select.tsx';
import type { Column } from '../../kit/Table.tsx';
import { TextArea, TextInput } from '../../kit/TextInput.tsx';
import { TimeText } from '../../kit/TimeText.tsx';
import { path } from '../../paths.ts';
import { parts } from '../../words/en/parts.ts';
import { groups as words } from '../../words/en/people.ts';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { fieldSentences } from '../parts/differences.ts';
import { EditPanel } from '../parts/EditPanel.tsx';
import styles from '../parts/parts.module.css';
import { ListScreen } from './ListScreen.tsx';
import { type Group, groupsQuery, isRoot, nameOf, rolesQuery, usersQuery } from './people-data.ts';

interface Values {
  readonly name: string;
  readonly description: string;
  readonly members: readonly string[];
  readonly rootRole: number | null;
  readonly mappings: readonly string[];
}

const valuesOf = (group: Group): Values => ({
  name: group.name,
  description: group.description ?? '',
  members: group.users.map(({ user }) => String(user.id)),
  rootRole: group.rootRole,
  mappings: group.mappingsSSO,
});
const EMPTY: Values = { name: '', description: '', members: [], rootRole: null, mappings: [] };

const bodyOf = ({ name, description, members, rootRole, mappings }: Values) => ({
  name: name.trim(),
  description: description.trim() || null,
  rootRole,
  mappingsSSO: [...mappings],
  users: members.map((id) => ({ user: { id: Number(id) } })),
});

/** A new group, or one that is edited. */
function GroupPanel({ group, onClose }: { readonly group?: Group; readonly onClose: () => void }) {
  const { data: users } = useQuery(usersQuery);
  const { data: roles = [] } = useQuery(rolesQuery);
  const [base] = useState(() => (group ? valuesOf(group) : EMPTY));
  const [values, setValues] = useState(base);
  const mayNot = useMay('ADMIN');
  const people = users?.users ?? [];
  const memberNames = new Map(
    [...people, ...(group?.users.map(({ user }) => user) ?? [])].map((user) => [String(user.id), nameOf(user)]),
  );
  const shown = ({ name, description, members, rootRole, mappings }: Values) => ({
    name,
    description,
    members: members.map((id) => memberNames.get(id) ?? id).sort(),
    rootRole: roles.find(({ id }) => id === rootRole)?.name ?? words.noRole,
    mappings,
  });
  const names = {
    name: words.name,
    description: words.description,
    members: words.members,
    rootRole: words.role,
    mappings: words.mappings,
  };
  const name = values.name.trim();
  return (
    <EditPanel<Group>
      title={group ? group.name : words.createTitle}
      mayNot={mayNot}
      problem={name === '' ? parts.fieldMissing(words.name) : undefined}
      {...(group ? { sentences: fieldSentences(shown(base), shown(values), names) } : { label: words.create })}
      save={(reason) =>
        group
          ? write(
              api.PUT('/api/admin/groups/{groupId}', {
                params: { path: { groupId: group.id } },
                headers: stated({ reason }),
                body: bodyOf(values),
              }),
            )
          : write(api.POST('/api/admin/groups', { body: bodyOf(values) }))
      }
      saved={{ text: group ? words.saved(name) : words.created(name), refresh: [keys.groups, ['project']] }}
      onSaved={onClose}
      onClose={onClose}
    >
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
      <Field label={words.members}>
        <MultiSelect
          placeholder={words.members}
          values={values.members}
          onChange={(members) => setValues({ ...values, members })}
          options={people.map((user) => ({ value: String(user.id), label: nameOf(user), hint: user.email }))}
        />
      </Field>
      <Field label={words.role}>
        <Select
          value={String(values.rootRole ?? '')}
          onChange={(id) => setValues({ ...values, rootRole: id === '' ? null : Number(id) })}
          options={[
            { value: '', label: words.noRole },
            ...roles.filter(isRoot).map(({ id, name: label }) => ({ value: String(id), label })),
          ]}
        />
      </Field>
      <Field label={words.mappings} hint={words.mappingsHint}>
        <MultiSelect
          allowsNew
          mono
          values={values.mappings}
          onChange={(mappings) => setValues({ ...values, mappings })}
          options={values.mappings.map((value) => ({ value, label: value }))}
        />
      </Field>
    </EditPanel>
  );
}

function columnsOf(
  roleNames: ReadonlyMap<number, string>,
  mayNot: string | undefined,
  onEdit: (group: Group) => void,
  onDelete: (group: Group) => void,
): Column<Group>[] {
  const { columns } = words;
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1.4fr)',
      cell: ({ name }) => <span className={`${styles.cut} ${styles.strong}`}>{name}</span>,
    },
    {
      key: 'members',
      header: columns.members,
      width: '72px',
      align: 'end',
      cell: ({ users }) => <NumberText value={users.length} />,
    },
    {
      key: 'role',
      header: columns.role,
      width: '104px',
      from: 'medium',
      cell: ({ rootRole }) => (
        <span className={styles.quiet}>{rootRole === null ? words.noRole : roleNames.get(rootRole)}</span>
      ),
    },
    {
      key: 'projects',
      header: columns.projects,
      width: 'minmax(0, 1fr)',
      from: 'medium',
      cell: ({ projects }) => <code className={styles.cut}>{projects.join(', ')}</code>,
    },
    {
      key: 'created',
      header: columns.created,
      width: '96px',
      from: 'wide',
      cell: ({ createdAt }) => <TimeText at={createdAt} />,
    },
    {
      key: 'actions',
      header: columns.actions,
      isHeaderHidden: true,
      width: '32px',
      align: 'end',
      cell: (group, inRow) => (
        <Menu
          {...inRow}
          size="small"
          icon={<Ellipsis aria-hidden />}
          label={words.actions(group.name)}
          entries={[
            { label: words.edit, reason: mayNot, onSelect: () => onEdit(group) },
            { label: words.delete, danger: true, reason: mayNot, onSelect: () => onDelete(group) },
          ]}
        />
      ),
    },
  ];
}

export function GroupsPage() {
  const query = useQuery(groupsQuery);
  const { data: roles } = useQuery(rolesQuery);
  const { id: ofAddress } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const [text, setPanel] = useUrlState('panel');
  const panel = text || (ofAddress ?? '');
  const close = () => (ofAddress === undefined ? setPanel('') : navigate(path('groups')));
  const [deleting, setDeleting] = useState<Group | null>(null);
  const mayNot = useMay('ADMIN');
  const columns = useMemo(
    () =>
      columnsOf(
        new Map(roles?.map(({ id, name }) => [id, name])),
        mayNot,
        ({ id }) => setPanel(String(id)),
        setDeleting,
      ),
    [roles, mayNot, setPanel],
  );
  const edited = query.data?.find(({ id }) => String(id) === panel);
  return (
    <ListScreen
      words={words}
      icon={<UsersRound aria-hidden />}
      query={query}
      rowsOf={(value) => value}
      columns={columns}
      rowKey={({ id }) => String(id)}
      textsOf={({ name, description, projects }) => [name, description, ...projects]}
      mayNotCreate={mayNot}
      onOpen={({ id }) => setPanel(String(id))}
      onCreate={() => setPanel('create')}
    >
      {panel === 'create' && <GroupPanel onClose={close} />}
      {edited && <GroupPanel key={edited.id} group={edited} onClose={close} />}
      {deleting && (
        <ConfirmDialog<unknown>
          danger
          title={words.deleteTitle(deleting.name)}
          sentences={words.deleteEffects(deleting.users.length, deleting.projects)}
          label={parts.delete}
          act={(reason) =>
            write(
              api.DELETE('/api/admin/groups/{groupId}', {
                params: { path: { groupId: deleting.id } },
                headers: stated({ reason }),
              }),
            )
          }
          saved={{ text: words.deleted(deleting.name), refresh: [keys.groups, ['project']] }}
          onClose={() => setDeleting(null)}
        />
      )}
    </ListScreen>
  );
}
