import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, write } from '../../data/client.ts';
import { forget, useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useProjects } from '../../data/settings.ts';
import { same } from '../../domain/same.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Combobox } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { Checks } from '../../parts/Checks.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import type { Group } from '../../people/people-data.ts';
import { type Access, accessQuery } from '../../projects/project-data.ts';
import { FailureText } from '../../save/FailureText.tsx';
import { useWrite } from '../../save/use-write.ts';
import { parts } from '../../words/en/parts.ts';
import { groups as words } from '../../words/en/people/groups.ts';

const SHOWN_MAX = 20;
const rolesIn = (access: Access | undefined, group: Group) =>
  access?.groups.find(({ id }) => id === group.id)?.roles ?? [];

/** What the group may do in projects: each project is read by itself, because an instance can have thousands. */
export function ProjectRoles({ group }: { readonly group: Group }) {
  const { data: projects = [] } = useProjects();
  const [project, setProject] = useKept<string | null>('project', null, `roles of group ${group.id}`);
  const nameOf = (id: string) => projects.find((one) => one.id === id)?.name ?? id;
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{words.projectRoles}</h3>
      {group.projects.length === 0 ? (
        <p className={styles.quiet}>{words.noProjects}</p>
      ) : (
        <div className={styles.list}>
          <ul className={styles.items}>
            {group.projects.slice(0, SHOWN_MAX).map((id) => (
              <li key={id}>
                <Link
                  className={`${styles.grow} ${styles.link}`}
                  href={path('projectSettingsTab', { projectId: id, tab: 'access' })}
                >
                  {nameOf(id)}
                </Link>
                <RolesOf group={group} project={id} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {group.projects.length > SHOWN_MAX && (
        <p className={styles.quiet}>{parts.more(group.projects.length - SHOWN_MAX)}</p>
      )}
      <Field label={parts.project}>
        <Combobox
          value={project}
          onChange={setProject}
          placeholder={words.projectPlaceholder}
          options={projects.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Field>
      {project && (
        <GiveRoles
          key={project}
          group={group}
          project={project}
          name={nameOf(project)}
          onSaved={() => setProject(null)}
        />
      )}
    </section>
  );
}

function RolesOf({ group, project }: { readonly group: Group; readonly project: string }) {
  const { data: access } = useQuery(accessQuery(project));
  return rolesIn(access, group).map((id) => (
    <Badge key={id}>{access?.roles.find((role) => role.id === id)?.name ?? `#${id}`}</Badge>
  ));
}

interface GiveRolesProps {
  readonly group: Group;
  readonly project: string;
  readonly name: string;
  readonly onSaved: () => void;
}

function GiveRoles({ group, project, name, onSaved }: GiveRolesProps) {
  const { data: access } = useQuery(accessQuery(project));
  const [chosen, setChosen] = useKept<readonly number[] | null>(project, null, `roles of group ${group.id}`);
  const { run, isPending, failure } = useWrite();
  const mayNot = useMay(['PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'], project);
  const before = rolesIn(access, group);
  const roles = chosen ?? before;
  const isUnchanged = same([...before].sort(), [...roles].sort()) ? parts.unchanged : undefined;
  const params = { path: { projectId: project, id: group.id } };
  const save = () =>
    run<unknown>(
      () =>
        roles.length === 0
          ? write(api.DELETE('/api/admin/projects/{projectId}/groups/{id}/roles', { params }))
          : write(
              api.PUT('/api/admin/projects/{projectId}/groups/{id}/roles', { params, body: { roles: [...roles] } }),
            ),
      {
        text: words.rolesSaved(group.name, name),
        refresh: [keys.groups, keys.project(project, 'access')],
        onDone: () => {
          forget(`roles of group ${group.id}`);
          onSaved();
        },
      },
    );
  if (!access) return null;
  return (
    <fieldset className={styles.card}>
      <legend className="visually-hidden">{words.roles(name)}</legend>
      <Checks
        options={access.roles.map(({ id, name: label, description }) => ({ value: id, label, hint: description }))}
        values={roles}
        reason={mayNot}
        onChange={setChosen}
      />
      <FailureText failure={failure} />
      <div>
        <Button pending={isPending} reason={mayNot ?? isUnchanged} onClick={() => void save()}>
          {words.saveRoles}
        </Button>
      </div>
    </fieldset>
  );
}
