import { Play } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useContextFields, useEnvironments, useProjects } from '../../data/settings.ts';
import { type GivenField, STANDARD_FIELDS } from '../../domain/contexts.ts';
import { localTime } from '../../domain/local-time.ts';
import type { Constraint } from '../../domain/model.ts';
import type { Question } from '../../domain/question.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Combobox, MultiSelect } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import parts from '../../parts/parts.module.css';
import { Rows } from '../../parts/Rows.tsx';
import { isRevision } from '../../past/moment.ts';
import { UnknownNames } from '../../save/UnknownNames.tsx';
import { parts as common } from '../../words/en/parts.ts';
import { playground as words } from '../../words/en/playground.ts';
import styles from './Playground.module.css';
import type { Draft, Mode } from './use-draft.ts';

/** More rows of fields than these are not offered: they can be added. */
const ROWS_MAX = 8;

interface QuestionFormProps {
  /** For buttons outside of the form. */
  readonly id: string;
  readonly draft: Draft;
  /** The context fields that the explained flag uses. */
  readonly used: readonly string[];
  /** The person came to ask about one user: the value is next. */
  readonly isValueNext: boolean;
  readonly isPending: boolean;
  readonly onAsk: (question: Question) => void;
}

export function QuestionForm({ id, draft, used, isValueNext, isPending, onAsk }: QuestionFormProps) {
  const [isTried, setTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (draft.question) onAsk(draft.question);
  };
  return (
    <form id={id} className={styles.form} onSubmit={submit}>
      <WhereFields
        environments={draft.environments}
        onEnvironments={draft.setEnvironments}
        problem={isTried ? draft.environmentsProblem : undefined}
        projects={draft.projects}
        onProjects={draft.setProjects}
      />
      <ModeChoice mode={draft.mode} onChange={draft.changeMode} />
      {draft.mode === 'fields' ? (
        <Fields fields={draft.fields} used={used} isValueNext={isValueNext} onChange={draft.setFields} />
      ) : (
        <Field
          label={words.pasted}
          isLabelHidden
          hint={words.pastedHint}
          error={isTried ? draft.contextsProblem : undefined}
        >
          <TextArea mono rows={8} value={draft.text} onChange={(event) => draft.setText(event.target.value)} />
        </Field>
      )}
      <AsOf at={draft.at} onChange={draft.setAt} />
      <div>
        <Button type="submit" kind="primary" icon={<Play aria-hidden />} pending={isPending}>
          {words.evaluate}
        </Button>
      </div>
    </form>
  );
}

/** A time, or the revision that a link brought. */
function AsOf({ at, onChange }: { readonly at: string; readonly onChange: (at: string) => void }) {
  if (isRevision(at)) {
    return (
      <p className={parts.row}>
        {words.at} <code>{words.revision(at)}</code>
        <Button size="small" onClick={() => onChange('')}>
          {words.asNow}
        </Button>
      </p>
    );
  }
  return (
    <Field label={words.at} hint={words.atHint}>
      <TextInput
        type="datetime-local"
        step={1}
        value={localTime(at)}
        onChange={({ target: { value } }) => onChange(value === '' ? '' : new Date(value).toISOString())}
      />
    </Field>
  );
}

function ModeChoice({ mode, onChange }: { readonly mode: Mode; readonly onChange: (mode: Mode) => void }) {
  return (
    <div className={styles.mode}>
      <span className={parts.label}>{words.contexts}</span>
      <Segmented<Mode>
        label={words.contexts}
        value={mode}
        onChange={onChange}
        options={[
          { value: 'fields', label: words.modes.fields },
          { value: 'pasted', label: words.modes.pasted },
        ]}
      />
    </div>
  );
}

interface WhereFieldsProps {
  readonly environments: readonly string[];
  readonly onEnvironments: (names: readonly string[]) => void;
  readonly problem: string | undefined;
  readonly projects: readonly string[];
  readonly onProjects: (ids: readonly string[]) => void;
}

function WhereFields({ environments, onEnvironments, problem, projects, onProjects }: WhereFieldsProps) {
  const { data: allEnvironments = [] } = useEnvironments();
  const { data: allProjects = [] } = useProjects();
  return (
    <>
      <Field label={common.environments} error={problem}>
        <MultiSelect
          mono
          values={environments}
          onChange={onEnvironments}
          placeholder={common.environments}
          options={allEnvironments.map(({ name, type }) => ({ value: name, label: name, hint: type }))}
        />
      </Field>
      <Field label={common.projects}>
        <MultiSelect
          values={projects}
          onChange={onProjects}
          placeholder={common.allProjects}
          options={allProjects.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Field>
    </>
  );
}

interface FieldValueProps {
  readonly field: GivenField;
  readonly legal: readonly string[];
  readonly isNext: boolean;
  readonly onChange: (value: string) => void;
}

function FieldValue({ field, legal, isNext, onChange }: FieldValueProps) {
  return legal.length > 0 ? (
    <Combobox
      mono
      newIs={words.newValue}
      label={words.fieldValue}
      placeholder={words.fieldValue}
      value={field.value || null}
      onChange={(value) => onChange(value ?? '')}
      options={legal.map((value) => ({ value, label: value }))}
    />
  ) : (
    <TextInput
      mono
      autoFocus={isNext}
      aria-label={`${words.fieldValue} ${field.name}`}
      placeholder={words.fieldValue}
      value={field.value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** The field as a constraint would name it. */
const asConstraint = ({ name, value }: GivenField): Constraint => ({
  contextName: name,
  operator: 'IN',
  inverted: false,
  caseInsensitive: false,
  values: value.split(',').flatMap((one) => one.trim() || []),
});

interface FieldsProps {
  readonly isValueNext: boolean;
  readonly fields: readonly GivenField[];
  readonly used: readonly string[];
  readonly onChange: (fields: readonly GivenField[]) => void;
}

/** The given fields, and empty ones for the other fields that the flag uses. */
function Fields({ fields: given, used, isValueNext, onChange }: FieldsProps) {
  const { data: known = [] } = useContextFields();
  const names = [...new Set([...STANDARD_FIELDS, ...known.map(({ name }) => name)])].filter(
    (name) => name !== 'environment',
  );
  const notThere = used.filter((name) => given.every((field) => field.name !== name));
  const offered = notThere.slice(0, Math.max(0, ROWS_MAX - given.length));
  const empty: readonly GivenField[] = offered.map((name) => ({ name, value: '' }));
  const fields = [...given, ...empty];
  // What is only offered at the end stays so: it may be the name that is typed over just now.
  const change = (next: readonly GivenField[]) =>
    onChange(next.slice(0, 1 + next.findLastIndex((field) => !empty.includes(field))));
  return (
    <div className={styles.fields}>
      <Rows
        items={fields}
        nameOf={({ name }) => name || words.unnamedField}
        between={<UnknownNames constraints={fields.map(asConstraint)} />}
        addLabel={words.addField}
        make={() => ({ name: '', value: '' })}
        onChange={change}
      >
        {({ item: field, index, remove, onChange: set }) => (
          <div className={styles.field}>
            <Combobox
              mono
              newIs={words.newField}
              label={words.fieldName}
              placeholder={words.fieldName}
              value={field.name || null}
              onChange={(name) => set({ ...field, name: name ?? '' })}
              options={names.map((name) => ({ value: name, label: name }))}
            />
            <FieldValue
              field={field}
              legal={known.find(({ name }) => name === field.name)?.legalValues.map(({ value }) => value) ?? []}
              isNext={isValueNext && index === 0}
              onChange={(value) => set({ ...field, value })}
            />
            {index < given.length && remove}
          </div>
        )}
      </Rows>
      {notThere.length > offered.length && (
        <p className={parts.quiet}>{words.moreFields(notThere.slice(offered.length))}</p>
      )}
      <p className={parts.quiet}>{words.fieldsHint}</p>
    </div>
  );
}
