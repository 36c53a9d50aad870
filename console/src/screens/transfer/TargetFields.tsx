import { useMemo } from 'react';
import { isProduction, useEnvironments, useProjectEnvironments, useProjects } from '../../data/settings.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Combobox } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import styles from '../../parts/parts.module.css';
import { transfer as words } from '../../words/en/admin/transfer.ts';

/** The environments of the project, those that are not production first: they are the usual target. */
export function useEnvironmentNames(project: string): readonly string[] {
  const { data: all } = useEnvironments();
  const { data: own } = useProjectEnvironments(project === '' ? undefined : project);
  return useMemo(() => {
    const has = own && new Set(own.map(({ name }) => name));
    const usable = (all ?? []).filter(({ name }) => project === '' || has?.has(name));
    return usable
      .toSorted((a, b) => Number(isProduction(a.type)) - Number(isProduction(b.type)))
      .map(({ name }) => name);
  }, [all, own, project]);
}

interface TargetFieldsProps {
  readonly project: string;
  readonly environment: string;
  readonly names: readonly string[];
  readonly onProject: (id: string) => void;
  readonly onEnvironment: (name: string) => void;
  readonly projectHint?: string;
  /** What no project means; without it, one must be chosen. */
  readonly noProject?: string;
  readonly hasProject?: boolean;
}

export function TargetFields(props: TargetFieldsProps) {
  const { project, environment, names, onProject, onEnvironment, projectHint, noProject, hasProject = true } = props;
  const { data: projects = [] } = useProjects();
  const { data: environments = [] } = useEnvironments();
  const type = environments.find(({ name }) => name === environment)?.type;
  return (
    <>
      {hasProject && (
        <Field label={words.project} hint={projectHint}>
          <Combobox
            value={project === '' ? null : project}
            {...(noProject && { placeholder: noProject })}
            onChange={(id) => (id !== null || noProject ? onProject(id ?? '') : undefined)}
            options={projects.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Field>
      )}
      <Field label={words.environment} hint={words.environmentHint}>
        <Select
          mono
          value={environment === '' ? null : environment}
          onChange={onEnvironment}
          options={names.map((name) => ({ value: name, label: name }))}
        />
      </Field>
      {isProduction(type) && (
        <p className={styles.row}>
          <EnvironmentMark name={environment} production />
        </p>
      )}
    </>
  );
}
