import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, stated, write } from '../../data/client.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { MultiSelect } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Checks } from '../../parts/Checks.tsx';
import { fieldSentences } from '../../parts/differences.ts';
import { EditPanel } from '../../parts/EditPanel.tsx';
import styles from '../../parts/parts.module.css';
import { type Access, peopleQuery } from '../../projects/project-data.ts';
import { projects } from '../../words/en/projects.ts';
import type { Member } from './ProjectAccess.tsx';

const words = projects.access;
/** The built-in role of those who work on the flags of a project. */
const MEMBER_ID = 5;
const ACCESS = ['PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'] as const;

interface RoleChoiceProps {
  readonly access: Access;
  readonly values: readonly number[];
  readonly onChange: (values: readonly number[]) => void;
}

function RoleChoice({ access, values, onChange }: RoleChoiceProps) {
  return (
    <fieldset className={styles.stack}>
      <legend className={styles.label}>{words.roles}</legend>
      <Checks
        options={access.roles.map(({ id, name, description }) => ({ value: id, label: name, hint: description }))}
        values={values}
        onChange={onChange}
      />
    </fieldset>
  );
}

interface PanelProps {
  readonly project: string;
  readonly access: Access;
  readonly onClose: () => void;
}

export function GiveAccess({ project, access, onClose }: PanelProps) {
  const { data: people } = useQuery(peopleQuery);
  const [chosen, setChosen] = useKept<readonly string[]>('chosen', []);
  const [roles, setRoles] = useKept<readonly number[]>('roles', () =>
    access.roles.filter(({ id }) => id === MEMBER_ID).map(({ id }) => id),
  );
  const mayNot = useMay(ACCESS, project);
  const options = [
    ...(people?.groups ?? []).map(({ id, name }) => ({ value: `group-${id}`, label: name, hint: words.group })),
    ...(people?.users ?? []).map(({ id, name, username, email, accountType }) => ({
      value: `user-${id}`,
      label: name || username || email || String(id),
      hint: accountType === 'Service Account' ? words.account : (email ?? words.user),
    })),
  ];
  const idsOf = (kind: string) =>
    chosen.filter((key) => key.startsWith(`${kind}-`)).map((key) => Number(key.slice(kind.length + 1)));
  return (
    <EditPanel<unknown>
      title={words.addTitle}
      mayNot={mayNot}
      problem={
        (chosen.length === 0 ? words.peopleMissing : undefined) ?? (roles.length === 0 ? words.rolesMissing : undefined)
      }
      label={words.add}
      save={(reason) =>
        write(
          api.POST('/api/admin/projects/{projectId}/access', {
            params: { path: { projectId: project } },
            headers: stated({ reason }),
            body: { roles: [...roles], groups: idsOf('group'), users: idsOf('user') },
          }),
        )
      }
      saved={{ canUndo: true, text: words.given, refresh: [keys.project(project, 'access'), keys.projects] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Field label={words.people} required>
        <MultiSelect options={options} values={chosen} onChange={setChosen} placeholder={words.people} />
      </Field>
      <RoleChoice access={access} values={roles} onChange={setRoles} />
    </EditPanel>
  );
}

export function ChangeRoles({ project, access, member, onClose }: PanelProps & { readonly member: Member }) {
  const [base] = useState(member.roles);
  const [roles, setRoles] = useKept('roles', base);
  const mayNot = useMay(ACCESS, project);
  const namesOf = (ids: readonly number[]) => ({
    roles: access.roles.filter(({ id }) => ids.includes(id)).map(({ name }) => name),
  });
  const params = { path: { projectId: project, id: member.id } };
  return (
    <EditPanel<unknown>
      title={words.changeTitle(member.name)}
      mayNot={mayNot}
      problem={roles.length === 0 ? words.rolesMissing : undefined}
      sentences={fieldSentences(namesOf(base), namesOf(roles), { roles: words.roles })}
      save={(reason) => {
        const options = { params, headers: stated({ reason }), body: { roles: [...roles] } };
        return member.kind === 'group'
          ? write(api.PUT('/api/admin/projects/{projectId}/groups/{id}/roles', options))
          : write(api.PUT('/api/admin/projects/{projectId}/users/{id}/roles', options));
      }}
      saved={{ canUndo: true, text: words.changed(member.name), refresh: [keys.project(project, 'access')] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <RoleChoice access={access} values={roles} onChange={setRoles} />
    </EditPanel>
  );
}
