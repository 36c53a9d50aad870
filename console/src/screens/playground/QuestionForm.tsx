import { Play, Plus, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useContextFields, useEnvironments, useProjects } from '../../data/settings.ts';
import { contextOf, fieldsOf, type GivenField, playgroundContexts, STANDARD_FIELDS } from '../../domain/contexts.ts';
import type { Question, Where } from '../../domain/question.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Combobox, MultiSelect } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import { useFocusAt } from '../../kit/use-focus-at.ts';
import { isRevision, localTime } from '../../past/moment.ts';
import { problemOfContexts } from '../../words/en/contexts.ts';
import { playground as words } from '../../words/en/playground.ts';
import parts from '../parts/parts.module.css';
import styles from './Playground.module.css';

type Mode = 'fields' | 'pasted';

interface QuestionFormProps {
  /** What the address asks: where the draft begins. */
  readonly question: Question | null;
  /** Where the draft asks, if the address asks nothing yet. */
  readonly where: Where;
  /** The person came to ask about one user: the value is next. */
  readonly isValueNext: boolean;
  readonly isPending: boolean;
  readonly onAsk: (question: Question) => void;
}

const FIRST: readonly GivenField[] = [{ name: 'userId', value: '' }];

export function QuestionForm({ question, where, isValueNext, isPending, onAsk }: QuestionFormProps) {
  const { data: environments = [] } = useEnvironments();
  const single = question?.contexts.length === 1 ? question.contexts[0] : undefined;
  const [chosen, setChosen] = useState<readonly string[] | null>(
    where.environments.length > 0 ? where.environments : null,
  );
  const [some, setSome] = useState<readonly string[]>(where.projects);
  const [at, setAt] = useState(question?.at ?? '');
  const [mode, setMode] = useState<Mode>(question && !single ? 'pasted' : 'fields');
  const [fields, setFields] = useState<readonly GivenField[]>(() =>
    single && fieldsOf(single).length > 0 ? fieldsOf(single) : FIRST,
  );
  const [text, setText] = useState(() =>
    question && !single ? question.contexts.map((one) => JSON.stringify(one)).join('\n') : '',
  );
  const [isTried, setTried] = useState(false);
  const usable = environments.filter(({ enabled }) => enabled);
  const asked = chosen ?? usable.map(({ name }) => name);
  const parsed = mode === 'fields' ? { contexts: [contextOf(fields)] } : playgroundContexts(text);
  const environmentsProblem = asked.length === 0 ? words.environmentsMissing : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if ('contexts' in parsed && !environmentsProblem)
      onAsk({ environments: asked, projects: some, contexts: parsed.contexts, at });
  };
  const changeMode = (next: Mode) => {
    if (next === 'pasted' && text === '') setText(JSON.stringify(contextOf(fields), null, 2));
    setMode(next);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <WhereFields
        environments={asked}
        onEnvironments={setChosen}
        problem={isTried ? environmentsProblem : undefined}
        projects={some}
        onProjects={setSome}
      />
      <ModeChoice mode={mode} onChange={changeMode} />
      {mode === 'fields' ? (
        <Fields fields={fields} isValueNext={isValueNext} onChange={setFields} />
      ) : (
        <Field
          label={words.pasted}
          isLabelHidden
          hint={words.pastedHint}
          error={isTried && 'problem' in parsed ? problemOfContexts(parsed.problem) : undefined}
        >
          <TextArea mono rows={8} value={text} onChange={(event) => setText(event.target.value)} />
        </Field>
      )}
      <AsOf at={at} onChange={setAt} />
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
      <Field label={words.environments} error={problem}>
        <MultiSelect
          mono
          values={environments}
          onChange={onEnvironments}
          placeholder={words.environments}
          options={allEnvironments.map(({ name, type }) => ({ value: name, label: name, hint: type }))}
        />
      </Field>
      <Field label={words.projects}>
        <MultiSelect
          values={projects}
          onChange={onProjects}
          placeholder={words.allProjects}
          options={allProjects.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Field>
    </>
  );
}

function AddField({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <div className={parts.between}>
      <Button size="small" kind="quiet" icon={<Plus aria-hidden />} data-adds onClick={onAdd}>
        {words.addField}
      </Button>
    </div>
  );
}

interface FieldsProps {
  readonly isValueNext: boolean;
  readonly fields: readonly GivenField[];
  readonly onChange: (fields: readonly GivenField[]) => void;
}

function Fields({ fields, isValueNext, onChange }: FieldsProps) {
  const { data: known = [] } = useContextFields();
  const names = [...new Set([...STANDARD_FIELDS, ...known.map(({ name }) => name)])].filter(
    (name) => name !== 'environment',
  );
  const { group, focusAt } = useFocusAt<HTMLDivElement>(`.${styles.field}`);
  const change = (at: number, changes: Partial<GivenField>) =>
    onChange(fields.map((field, index) => (index === at ? { ...field, ...changes } : field)));
  return (
    <div ref={group} className={styles.fields}>
      {fields.map((field, at) => {
        const legal = known.find(({ name }) => name === field.name)?.legalValues ?? [];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a field has no identity but its position.
          <div key={at} className={styles.field}>
            <Combobox
              mono
              allowsNew
              label={words.fieldName}
              placeholder={words.fieldName}
              value={field.name || null}
              onChange={(name) => change(at, { name: name ?? '' })}
              options={names.map((name) => ({ value: name, label: name }))}
            />
            {legal.length > 0 ? (
              <Combobox
                mono
                allowsNew
                label={words.fieldValue}
                placeholder={words.fieldValue}
                value={field.value || null}
                onChange={(value) => change(at, { value: value ?? '' })}
                options={legal.map(({ value }) => ({ value, label: value }))}
              />
            ) : (
              <TextInput
                mono
                autoFocus={isValueNext && at === 0}
                aria-label={`${words.fieldValue} ${field.name}`}
                placeholder={words.fieldValue}
                value={field.value}
                onChange={(event) => change(at, { value: event.target.value })}
              />
            )}
            <IconButton
              icon={<X aria-hidden />}
              label={words.removeField(field.name)}
              onClick={() => {
                focusAt(at);
                onChange(fields.filter((_, index) => index !== at));
              }}
            />
          </div>
        );
      })}
      <AddField
        onAdd={() => {
          focusAt(fields.length);
          onChange([...fields, { name: '', value: '' }]);
        }}
      />
      <p className={parts.quiet}>{words.fieldsHint}</p>
    </div>
  );
}
