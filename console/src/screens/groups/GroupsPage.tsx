import { useQuery } from '@tanstack/react-query';
import { UsersRound } from 'lucide-react';
import { api, readTagged, stated, write } from '../../data/client.ts';
import { ifUnchanged } from '../../data/if-same.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { same } from '../../domain/same.ts';
import { Badge } from '../../kit/texts/Badge.tsx';
import { col } from '../../parts/columns.tsx';
import { curl } from '../../parts/ListPage.tsx';
import { deletion } from '../../parts/ListScreen.tsx';
import styles from '../../parts/parts.module.css';
import { type Resource, ResourceScreen } from '../../parts/ResourceScreen.tsx';
import { path } from '../../paths.ts';
import { type Group, groupsQuery, rolesQuery } from '../../people/people-data.ts';
import { peopleQuery } from '../../projects/project-data.ts';
import { parts } from '../../words/en/parts.ts';
import { groups as words } from '../../words/en/people/groups.ts';
import { fields, type GroupValues, valuesOf } from './group-fields.tsx';
import { ProjectRoles } from './ProjectRoles.tsx';

const LIST = '/api/admin/groups';
const ONE = '/api/admin/groups/{groupId}';

const pathOf = ({ id }: Group) => ({ path: { groupId: id } });
const bodyOf = ({ name, description, members, mappings, rootRole }: GroupValues) => ({
  name: name.trim(),
  description,
  mappingsSSO: [...mappings],
  rootRole,
  users: members.map((id) => ({ user: { id } })),
});

const PROJECTS_SHOWN = 5;

function deletionEffects({ users, projects }: Group): string[] {
  if (projects.length === 0) return [words.deleteEffect(users.length)];
  const shown = projects.slice(0, PROJECTS_SHOWN).map((project) => `\`${project}\``);
  const more = projects.length > PROJECTS_SHOWN ? [parts.more(projects.length - PROJECTS_SHOWN)] : [];
  return [words.deleteEffect(users.length), words.deleteProjects([...shown, ...more].join(', '))];
}

function RoleName({ id }: { readonly id: number }) {
  const mayRead = useMay(['ADMIN', 'READ_ROLE']) === undefined;
  const { data: roles } = useQuery({ ...rolesQuery, enabled: mayRead });
  return <Badge>{roles?.find((role) => role.id === id)?.name ?? `#${id}`}</Badge>;
}

function useNames() {
  useQuery(rolesQuery);
  useQuery(peopleQuery);
}

const { columns } = words;

const GROUPS: Resource<Group, typeof fields, Group> = {
  words,
  fields,
  valuesOf,
  useRows: () => useQuery(groupsQuery),
  refresh: [keys.groups],
  icon: <UsersRound aria-hidden />,
  mayCreate: 'ADMIN',
  mayUpdate: 'ADMIN',
  keyOf: ({ id }) => String(id),
  nameOf: ({ name }) => name,
  titleOf: ({ name }) => name,
  useNames,
  pages: { list: path('groups'), of: ({ id }) => path('group', { id }) },
  acts: [
    deletion(words, {
      may: 'ADMIN',
      useQuestion: (group) => ({ sentences: deletionEffects(group) }),
      run: (group, reason) => write(api.DELETE(ONE, { params: pathOf(group), headers: stated({ reason }) })),
    }),
  ],
  canUndo: true,
  texts: ({ name, description }) => [name, description],
  sortText: ({ name, createdAt }, key) => (key === 'createdAt' ? createdAt : name),
  columns: [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 1.6fr)',
      sortable: true,
      cell: ({ name, description }) => (
        <>
          <span className={styles.cut}>{name}</span>
          {description && <span className={`${styles.cut} ${styles.quiet}`}>{description}</span>}
        </>
      ),
    },
    col.number('members', columns.members, ({ users }) => users.length, { width: '80px' }),
    col.number('projects', columns.projects, ({ projects }) => projects.length, {
      width: '80px',
      from: 'medium',
    }),
    {
      key: 'role',
      header: columns.role,
      width: 'minmax(72px, 0.7fr)',
      from: 'wide',
      cell: ({ rootRole }) => rootRole !== null && <RoleName id={rootRole} />,
    },
    col.time('createdAt', columns.created, ({ createdAt }) => createdAt, { sortable: true }),
  ],
  command: curl(LIST, { name: 'payments' }),
  createLabel: words.create,
  create: (values) => write(api.POST(LIST, { body: bodyOf(values) })),
  opens: (group) => group,
  // On condition that the group is as it was when `base` was read.
  save: (group, base, values, reason) => {
    const params = pathOf(group);
    return ifUnchanged(
      () => readTagged(api.GET(ONE, { params, cache: 'no-store' })),
      (now) => same(valuesOf(now), base),
      (etag) => write<unknown>(api.PUT(ONE, { params, headers: stated({ reason, etag }), body: bodyOf(values) })),
    );
  },
  below: (group) => <ProjectRoles group={group} />,
};

/** The groups, with the panel that the address says. */
export const GroupsPage = () => <ResourceScreen of={GROUPS} />;
