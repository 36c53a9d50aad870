import { Plus } from 'lucide-react';
import { useEnvironments, useProjects } from '../../data/settings.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { MultiSelect } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { check, FieldList, text } from '../../parts/fields.tsx';
import styles from '../../parts/parts.module.css';
import { Words } from '../../save/Words.tsx';
import { integrations as words } from '../../words/en/admin/integrations.ts';
import { parts } from '../../words/en/parts.ts';
import { type IntegrationValues, MASK, type Provider } from './integration-data.ts';
import { ParameterField } from './ParameterField.tsx';

/** Types of events that belong together, so that one press chooses them. */
const EVENT_GROUPS: Readonly<Record<keyof typeof words.eventGroups, readonly string[]>> = {
  switched: ['feature-environment-enabled', 'feature-environment-disabled'],
  rules: [
    'feature-strategy-add',
    'feature-strategy-update',
    'feature-strategy-remove',
    'strategy-order-changed',
    'feature-environment-variants-updated',
    'segment-updated',
  ],
  life: ['feature-created', 'feature-archived', 'feature-revived', 'feature-deleted', 'feature-completed'],
  requests: [
    'change-request-sent-to-review',
    'change-request-approved',
    'change-request-rejected',
    'change-request-scheduled',
    'change-request-applied',
    'change-request-cancelled',
  ],
};
const GROUPS = Object.keys(EVENT_GROUPS) as (keyof typeof EVENT_GROUPS)[];

interface FieldsProps {
  readonly provider: Provider;
  readonly values: IntegrationValues;
  /** The secrets of these parameters are stored. */
  readonly stored: IntegrationValues['parameters'];
  readonly onChange: (values: IntegrationValues) => void;
}

function Events({ provider, values, onChange }: Omit<FieldsProps, 'stored'>) {
  const { events } = values;
  const add = (names: readonly string[]) => {
    onChange({ ...values, events: [...new Set([...events, ...names])] });
  };
  const known: ReadonlySet<string> = new Set(provider.events);
  return (
    <>
      <Field label={words.events} hint={words.eventsHint} required>
        <MultiSelect
          mono
          placeholder={words.events}
          values={events}
          onChange={(next) => onChange({ ...values, events: next })}
          options={provider.events.map((name) => ({ value: name, label: name }))}
        />
      </Field>
      <div className={styles.row}>
        {GROUPS.map((group) => {
          const names = EVENT_GROUPS[group].filter((name) => known.has(name));
          const label = words.eventGroups[group];
          return names.every((name) => events.includes(name)) ? null : (
            <Button
              key={group}
              size="small"
              icon={<Plus aria-hidden />}
              aria-label={`${parts.add}: ${label}`}
              onClick={() => add(names)}
            >
              {label}
            </Button>
          );
        })}
      </div>
    </>
  );
}

function Filters({ values, onChange }: Pick<FieldsProps, 'values' | 'onChange'>) {
  const { data: projects = [] } = useProjects();
  const { data: environments = [] } = useEnvironments();
  return (
    <>
      <Field label={parts.projects} hint={words.projectsHint}>
        <MultiSelect
          placeholder={parts.allProjects}
          values={values.projects}
          onChange={(next) => onChange({ ...values, projects: next })}
          options={projects.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Field>
      <Field label={parts.environments} hint={words.environmentsHint}>
        <MultiSelect
          mono
          placeholder={words.allEnvironments}
          values={values.environments}
          onChange={(next) => onChange({ ...values, environments: next })}
          options={environments.map(({ name }) => ({ value: name, label: name }))}
        />
      </Field>
    </>
  );
}

const DESCRIPTION = { description: text(parts.description, { max: 255, hint: words.descriptionHint }) };
const ENABLED = { enabled: check(words.enabled, true, words.enabledHint) };

/** What is sent, where to, and how. */
export function IntegrationFields({ provider, values, stored, onChange }: FieldsProps) {
  const fieldsOf = (isRequired: boolean) =>
    provider.parameters
      .filter(({ required }) => required === isRequired)
      .map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={values.parameters[parameter.name] ?? ''}
          hasStored={stored[parameter.name] === MASK}
          onChange={(value) => onChange({ ...values, parameters: { ...values.parameters, [parameter.name]: value } })}
        />
      ));
  return (
    <>
      <p className={styles.quiet}>
        <Words text={provider.howTo ?? provider.description} />
      </p>
      <FieldList fields={DESCRIPTION} values={values} onChange={(_, changed) => onChange({ ...values, ...changed })} />
      {fieldsOf(true)}
      <Events provider={provider} values={values} onChange={onChange} />
      <Filters values={values} onChange={onChange} />
      {fieldsOf(false)}
      <FieldList fields={ENABLED} values={values} onChange={(_, changed) => onChange({ ...values, ...changed })} />
    </>
  );
}
