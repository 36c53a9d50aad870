import { useQuery } from '@tanstack/react-query';
import { Plus, UsersRound } from 'lucide-react';
import { useMemo } from 'react';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { type MayNot, useMay } from '../../data/may.ts';
import { useOpened, useOpenedItem } from '../../data/opened.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { type Column, Table } from '../../kit/lists/Table.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Avatar } from '../../kit/texts/Avatar.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { PageAction } from '../../page/PageAction.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { col } from '../../parts/columns.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { menuColumn } from '../../parts/menu-column.tsx';
import styles from '../../parts/parts.module.css';
import { RowPanel } from '../../parts/RowPanel.tsx';
import { type Access, accessQuery } from '../../projects/project-data.ts';
import { projects } from '../../words/en/projects.ts';
import { ChangeRoles, GiveAccess } from './AccessPanels.tsx';

const words = projects.access;

export interface Member {
  readonly key: string;
  readonly kind: 'user' | 'group' | 'account';
  readonly id: number;
  readonly name: string;
  readonly roles: readonly number[];
  readonly since: string;
}

function membersOf({ users, groups }: Access): readonly Member[] {
  return [
    ...groups.map(
      ({ id, name, roles, addedAt }): Member => ({
        key: `group-${id}`,
        kind: 'group',
        id,
        name,
        roles,
        since: addedAt,
      }),
    ),
    ...users.map(
      ({ id, name, username, email, roles, addedAt, accountType }): Member => ({
        key: `user-${id}`,
        kind: accountType === 'Service Account' ? 'account' : 'user',
        id,
        name: name || username || email || String(id),
        roles,
        since: addedAt,
      }),
    ),
  ].sort((a, b) => a.name.localeCompare(b.name));
}

function RemoveAccess({
  project,
  member,
  ...does
}: {
  readonly project: string;
  readonly member: Member;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const params = { path: { projectId: project, id: member.id } };
  const isGroup = member.kind === 'group';
  return (
    <ConfirmDialog<unknown>
      danger
      title={words.removeTitle(member.name)}
      sentences={[words.removeEffect(member.name, project), ...(isGroup ? [words.removeGroup] : [])]}
      label={words.remove.replace('…', '')}
      mayNot={useMay(['PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'], project)}
      act={(reason) =>
        isGroup
          ? write(
              api.DELETE('/api/admin/projects/{projectId}/groups/{id}/roles', { params, headers: stated({ reason }) }),
            )
          : write(
              api.DELETE('/api/admin/projects/{projectId}/users/{id}/roles', { params, headers: stated({ reason }) }),
            )
      }
      saved={{ canUndo: true, text: words.removed(member.name), refresh: [keys.project(project, 'access')] }}
      {...does}
    />
  );
}

interface Acts {
  readonly roleNames: ReadonlyMap<number, string>;
  readonly mayNot: MayNot;
  readonly setPanel: (key: string) => void;
  readonly setRemoving: (member: Member) => void;
}

function columnsOf({ roleNames, mayNot, setPanel, setRemoving }: Acts): Column<Member>[] {
  const { columns: headers } = words;
  return [
    {
      key: 'who',
      header: headers.who,
      width: 'minmax(0, 1.4fr)',
      cell: ({ kind, name }) => (
        <>
          {kind === 'group' ? (
            <UsersRound size={20} strokeWidth={1.5} aria-hidden />
          ) : (
            <Avatar name={name} machine={kind === 'account'} />
          )}
          <span className={styles.cut}>{name}</span>
        </>
      ),
    },
    {
      key: 'kind',
      header: headers.kind,
      width: '128px',
      from: 'wide',
      cell: ({ kind }) => <span className={styles.quiet}>{words[kind]}</span>,
    },
    {
      key: 'roles',
      header: headers.roles,
      width: 'minmax(0, 1fr)',
      cell: ({ roles }) => roles.map((id) => <Badge key={id}>{roleNames.get(id) ?? `#${id}`}</Badge>),
    },
    col.time('since', headers.since, ({ since }) => since, { width: '112px', from: 'medium' }),
    menuColumn(
      (member) => words.actions(member.name),
      (member) => [
        { label: words.change, reason: mayNot, onSelect: () => setPanel(member.key) },
        { label: words.remove, danger: true, reason: mayNot, onSelect: () => setRemoving(member) },
      ],
    ),
  ];
}

const memberKey = ({ key }: Member) => key;

export function ProjectAccess({ project }: { readonly project: string }) {
  const query = useQuery(accessQuery(project));
  const [panel, setPanel] = useOpened('panel');
  const members = useMemo(() => (query.data ? membersOf(query.data) : []), [query.data]);
  const [removing, setRemoving] = useOpenedItem('ask', members, memberKey);
  const mayNot = useMay(['PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'], project);
  const roleNames = useMemo(() => new Map(query.data?.roles.map(({ id, name }) => [id, name])), [query.data]);
  const columns = useMemo(
    () => columnsOf({ roleNames, mayNot, setPanel, setRemoving }),
    [roleNames, mayNot, setPanel, setRemoving],
  );
  const button = (
    <Button kind="primary" icon={<Plus aria-hidden />} reason={mayNot} onClick={() => setPanel('give')}>
      {words.add}
    </Button>
  );
  return (
    <Loaded query={query}>
      {(access) => {
        return (
          <>
            {members.length > 0 && <PageAction>{button}</PageAction>}
            {members.length === 0 ? (
              <EmptyState icon={<UsersRound aria-hidden />} sentence={words.none} action={button} />
            ) : (
              <div className={styles.list}>
                <Table<Member>
                  main
                  label={projects.parts.access}
                  columns={columns}
                  rows={members}
                  rowKey={({ key }) => key}
                  onOpen={({ key }) => setPanel(key)}
                />
              </div>
            )}
            {panel === 'give' && <GiveAccess project={project} access={access} onClose={() => setPanel('')} />}
            <RowPanel rows={members} keyOf={memberKey} shown={panel} type="project">
              {(member) => (
                <ChangeRoles
                  key={member.key}
                  project={project}
                  member={member}
                  access={access}
                  onClose={() => setPanel('')}
                />
              )}
            </RowPanel>
            {removing && (
              <RemoveAccess
                project={project}
                member={removing}
                onDone={() => removing.key === panel && setPanel('')}
                onClose={() => setRemoving(null)}
              />
            )}
          </>
        );
      }}
    </Loaded>
  );
}
