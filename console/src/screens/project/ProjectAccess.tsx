import { useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { api, read, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { Avatar } from '../../kit/Avatar.tsx';
import { Badge } from '../../kit/Badge.tsx';
import { Banner } from '../../kit/Banner.tsx';
import { Button } from '../../kit/Button.tsx';
import { Combobox, MultiSelect } from '../../kit/Combobox.tsx';
import { EmptyState } from '../../kit/EmptyState.tsx';
import { Field } from '../../kit/Field.tsx';
import { IconButton } from '../../kit/IconButton.tsx';
import { Skeleton } from '../../kit/Skeleton.tsx';
import { useWrite } from '../../save/use-write.ts';
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

/** Who has which roles in the project. */
export function ProjectAccess({ project }: { readonly project: string }) {
  const client = useQueryClient();
  const key = keys.project(project, 'access');
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: () =>
      read(api.GET('/api/admin/projects/{projectId}/access', { params: { path: { projectId: project } } })),
  });
  const { data: everyone } = useQuery({
    queryKey: ['user', 'list', 'access'],
    queryFn: () => read(api.GET('/api/admin/user-admin/access')),
    retry: false,
  });
  const [added, setAdded] = useState<string | null>(null);
  const [roles, setRoles] = useState<readonly string[]>([]);
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
  const set = async ({ kind, id, name }: Member, next: readonly number[]) => {
    const path = { projectId: project, id };
    const body = { roles: [...next] };
    await writing.run(
      () =>
        kind === 'user'
          ? next.length > 0
            ? write<unknown>(api.PUT('/api/admin/projects/{projectId}/users/{id}/roles', { params: { path }, body }))
            : write<unknown>(api.DELETE('/api/admin/projects/{projectId}/users/{id}/roles', { params: { path } }))
          : next.length > 0
            ? write<unknown>(api.PUT('/api/admin/projects/{projectId}/groups/{id}/roles', { params: { path }, body }))
            : write<unknown>(api.DELETE('/api/admin/projects/{projectId}/groups/{id}/roles', { params: { path } })),
      words.accessSaved(name),
    );
    await client.invalidateQueries({ queryKey: key });
  };
  const add = async () => {
    if (!added || roles.length === 0) return;
    const [kind, id] = added.split(':');
    const body = {
      roles: roles.map(Number),
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
    setRoles([]);
    await client.invalidateQueries({ queryKey: key });
  };
  const taken = new Set(members.map(({ kind, id }) => `${kind}:${id}`));
  const candidates = [
    ...(everyone?.users ?? []).map((user) => ({ value: `user:${user.id}`, label: nameOf(user) })),
    ...(everyone?.groups ?? []).map((group) => ({
      value: `group:${group.id}`,
      label: `${group.name} (${words.group})`,
    })),
  ].filter(({ value }) => !taken.has(value));
  return (
    <div className={styles.settings}>
      <p className={styles.quiet}>{words.access}</p>
      {members.length === 0 && <EmptyState sentence={words.noAccess} />}
      <ul className={styles.list}>
        {members.map((member) => (
          <li key={`${member.kind} ${member.id}`} className={styles.member}>
            <span className={styles.who}>
              <Avatar name={member.name} size={24} /> {member.name}{' '}
              {member.kind === 'group' && <Badge>{words.group}</Badge>}
            </span>
            <Field label={`${words.roles}: ${member.name}`} isLabelHidden>
              {mayNot ? (
                <span>
                  {member.roles
                    .map((role) => roleOptions.find(({ value }) => value === String(role))?.label ?? role)
                    .join(', ')}
                </span>
              ) : (
                <MultiSelect
                  options={roleOptions}
                  values={member.roles.map(String)}
                  onChange={(values) => void set(member, values.map(Number))}
                />
              )}
            </Field>
            <IconButton
              size="small"
              icon={<X aria-hidden />}
              label={words.remove(member.name)}
              reason={mayNot}
              onClick={() => void set(member, [])}
            />
          </li>
        ))}
      </ul>
      <div className={styles.member}>
        <Field label={words.member}>
          <Combobox options={candidates} value={added} onChange={setAdded} />
        </Field>
        <Field label={words.roles}>
          <MultiSelect options={roleOptions} values={roles} onChange={setRoles} />
        </Field>
        <Button reason={mayNot} pending={writing.isPending} onClick={() => void add()}>
          {words.add}
        </Button>
      </div>
      {writing.failure && <Banner tone="bad">{writing.failure.message}</Banner>}
    </div>
  );
}
