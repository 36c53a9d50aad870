import { useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { api, read, type Written, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { type MayNot, useMay } from '../../data/may.ts';
import { Avatar } from '../../kit/Avatar.tsx';
import { Badge } from '../../kit/Badge.tsx';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { Combobox, MultiSelect } from '../../kit/Combobox.tsx';
import { EmptyState } from '../../kit/EmptyState.tsx';
import { Field } from '../../kit/Field.tsx';
import { IconButton } from '../../kit/IconButton.tsx';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { useWrite, type Writing } from '../../save/use-write.ts';
import { projects as words } from '../../words/en/projects.ts';
import styles from './Project.module.css';

interface Member {
  readonly kind: 'user' | 'group';
  readonly id: number;
  readonly name: string;
  readonly roles: readonly number[];
}

const nameOf = ({ name, username, email }: { name?: string; username?: string; email?: string }) =>
  name || username || email || '';

interface RoleOption {
  readonly value: string;
  readonly label: string;
}

const USER = '/api/admin/projects/{projectId}/users/{id}/roles';
const GROUP = '/api/admin/projects/{projectId}/groups/{id}/roles';

/** Replaces the roles; without one, the member has no access of its own. */
function setRoles(projectId: string, { kind, id }: Member, roles: number[]): Promise<Written<unknown>> {
  const params = { path: { projectId, id } };
  const body = { roles };
  if (kind === 'user')
    return roles.length > 0 ? write(api.PUT(USER, { params, body })) : write(api.DELETE(USER, { params }));
  return roles.length > 0 ? write(api.PUT(GROUP, { params, body })) : write(api.DELETE(GROUP, { params }));
}

interface MemberRowProps {
  readonly member: Member;
  readonly roles: readonly RoleOption[];
  readonly mayNot: MayNot;
  readonly onRoles: (roles: readonly number[]) => void;
}

function MemberRow({ member, roles, mayNot, onRoles }: MemberRowProps) {
  return (
    <li className={styles.member}>
      <span className={styles.who}>
        <Avatar name={member.name} size={24} /> {member.name} {member.kind === 'group' && <Badge>{words.group}</Badge>}
      </span>
      <Field label={`${words.roles}: ${member.name}`} isLabelHidden>
        {mayNot ? (
          <span>
            {member.roles.map((role) => roles.find(({ value }) => value === String(role))?.label ?? role).join(', ')}
          </span>
        ) : (
          <MultiSelect
            options={roles}
            values={member.roles.map(String)}
            onChange={(values) => onRoles(values.map(Number))}
          />
        )}
      </Field>
      <IconButton
        size="small"
        icon={<X aria-hidden />}
        label={words.remove(member.name)}
        reason={mayNot}
        onClick={() => onRoles([])}
      />
    </li>
  );
}

interface AddMemberProps {
  readonly project: string;
  readonly members: readonly Member[];
  readonly roles: readonly RoleOption[];
  readonly mayNot: MayNot;
  readonly writing: Writing;
}

function AddMember({ project, members, roles, mayNot, writing }: AddMemberProps) {
  const client = useQueryClient();
  const { data: everyone } = useQuery({
    queryKey: ['user', 'list', 'access'],
    queryFn: () => read(api.GET('/api/admin/user-admin/access')),
    retry: false,
  });
  const [added, setAdded] = useState<string | null>(null);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const taken = new Set(members.map(({ kind, id }) => `${kind}:${id}`));
  const candidates = [
    ...(everyone?.users ?? []).map((user) => ({ value: `user:${user.id}`, label: nameOf(user) })),
    ...(everyone?.groups ?? []).map((group) => ({
      value: `group:${group.id}`,
      label: `${group.name} (${words.group})`,
    })),
  ].filter(({ value }) => !taken.has(value));
  const add = async () => {
    if (!added || chosen.length === 0) return;
    const [kind, id] = added.split(':');
    const body = {
      roles: chosen.map(Number),
      users: kind === 'user' ? [Number(id)] : [],
      groups: kind === 'group' ? [Number(id)] : [],
    };
    const done = await writing.run(
      () =>
        write(api.POST('/api/admin/projects/{projectId}/access', { params: { path: { projectId: project } }, body })),
      words.accessSaved(candidates.find(({ value }) => value === added)?.label ?? ''),
    );
    if (!done) return;
    setAdded(null);
    setChosen([]);
    await client.invalidateQueries({ queryKey: keys.project(project, 'access') });
  };
  return (
    <div className={styles.member}>
      <Field label={words.member}>
        <Combobox options={candidates} value={added} onChange={setAdded} />
      </Field>
      <Field label={words.roles}>
        <MultiSelect options={roles} values={chosen} onChange={setChosen} />
      </Field>
      <Button reason={mayNot} pending={writing.isPending} onClick={() => void add()}>
        {words.add}
      </Button>
    </div>
  );
}

/** Who has which roles in the project. */
export function ProjectAccess({ project }: { readonly project: string }) {
  const client = useQueryClient();
  const key = keys.project(project, 'access');
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: () =>
      read(api.GET('/api/admin/projects/{projectId}/access', { params: { path: { projectId: project } } })),
  });
  const mayNot = useMay('UPDATE_PROJECT', project);
  const writing = useWrite();
  if (error) return <Banner tone="bad">{error.message}</Banner>;
  if (!data) return <Skeleton shape="rows" rows={4} />;

  const roleOptions = data.roles.map(({ id, name, description }) => ({
    value: String(id),
    label: name,
    hint: description ?? undefined,
  }));
  const members: Member[] = [
    ...data.users.map((user) => ({ kind: 'user' as const, id: user.id, name: nameOf(user), roles: user.roles })),
    ...data.groups.map((group) => ({ kind: 'group' as const, id: group.id, name: group.name, roles: group.roles })),
  ];
  const set = async (member: Member, next: readonly number[]) => {
    await writing.run(() => setRoles(project, member, [...next]), words.accessSaved(member.name));
    await client.invalidateQueries({ queryKey: key });
  };
  return (
    <div className={styles.settings}>
      <p className={styles.quiet}>{words.access}</p>
      {members.length === 0 && <EmptyState sentence={words.noAccess} />}
      <ul className={styles.list}>
        {members.map((member) => (
          <MemberRow
            key={`${member.kind} ${member.id}`}
            member={member}
            roles={roleOptions}
            mayNot={mayNot}
            onRoles={(next) => void set(member, next)}
          />
        ))}
      </ul>
      <AddMember project={project} members={members} roles={roleOptions} mayNot={mayNot} writing={writing} />
      {writing.failure && <Banner tone="bad">{writing.failure.message}</Banner>}
    </div>
  );
}
