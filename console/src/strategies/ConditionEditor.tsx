import { useQuery } from '@tanstack/react-query';
import { type FocusEvent, type ReactNode, useId, useState } from 'react';
import { api, write } from '../data/client.ts';
import { localMinute } from '../domain/local-time.ts';
import type { Constraint } from '../domain/model.ts';
import { classes } from '../kit/classes.ts';
import { Checkbox } from '../kit/inputs/Checkbox.tsx';
import { Combobox } from '../kit/inputs/Combobox.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { Checks } from '../parts/Checks.tsx';
import { useSettled } from '../parts/use-typed.ts';
import { strategyEditor as words } from '../words/en/flags/feature.ts';
import { constraintText } from '../words/rule-words.ts';
import { CHOICES, choiceOf, ignoresCase, takesList, withChoice } from './condition.ts';
import styles from './Editor.module.css';
import { ValuesEditor, type ValuesLimit } from './ValuesEditor.tsx';

interface ConditionEditorProps {
  /** `contextName` is what the condition is about. */
  readonly condition: Constraint;
  /** What a condition can be about; other names can be typed. */
  readonly names: readonly string[];
  /** What another name is. */
  readonly newNameIs: string;
  /** What is allowed and looks like a mistake. */
  readonly warnings?: ReactNode;
  readonly nameLabel: string;
  /** The name has a line of its own. */
  readonly hasLongNames?: boolean;
  /** The button that removes it. */
  readonly remove: ReactNode;
  /** The only values that are possible; empty: any. */
  readonly legal?: readonly string[];
  readonly limit: ValuesLimit | undefined;
  /** What is missing. */
  readonly missing?: string | undefined;
  /** It is saved like this already, so what is missing is a warning. */
  readonly isKept?: boolean;
  /** The name under which the server judges the condition. */
  readonly judgedAs?: string;
  readonly onChange: (condition: Constraint) => void;
}

/** Lists that are longer are typed. */
const LEGAL_SHOWN = 50;
/** What is half typed is not judged. */
const JUDGED_AFTER_MS = 300;

interface ValueProps extends Pick<ConditionEditorProps, 'condition' | 'legal' | 'limit' | 'onChange'> {
  readonly error: string | undefined;
}

function Value({ condition, legal = [], limit, error, onChange }: ValueProps) {
  const id = useId();
  const { operator } = condition;
  const values = condition.values ?? [];
  if (takesList(operator) && legal.length > 0 && legal.length <= LEGAL_SHOWN && !operator.startsWith('STR_')) {
    const all = [...legal, ...values.filter((value) => !legal.includes(value))];
    return (
      <fieldset className={styles.group} aria-describedby={error && id}>
        <legend className={styles.legend}>{words.values}</legend>
        <div className={styles.legal}>
          <Checks
            options={all.map((value) => ({ value, label: value }))}
            values={values}
            onChange={(next) => onChange({ ...condition, values: [...next] })}
          />
        </div>
        {error && (
          <p id={id} className={styles.error}>
            {error}
          </p>
        )}
      </fieldset>
    );
  }
  if (takesList(operator)) {
    return (
      <ValuesEditor
        label={words.values}
        limit={limit}
        error={error}
        values={values}
        onChange={(list) => onChange({ ...condition, values: [...list] })}
      />
    );
  }
  const isDate = operator.startsWith('DATE_');
  return (
    <Field label={words.value} hint={isDate ? words.dateHint : undefined} error={error}>
      <TextInput
        mono
        type={isDate ? 'datetime-local' : 'text'}
        inputMode={operator.startsWith('NUM_') ? 'decimal' : 'text'}
        value={isDate ? localMinute(condition.value) : (condition.value ?? '')}
        onChange={(event) => {
          const { value } = event.target;
          onChange({ ...condition, value: isDate && value ? new Date(value).toISOString() : value });
        }}
      />
    </Field>
  );
}

/** What the server says about the condition, when typing pauses. */
function useProblem({ condition, judgedAs }: ConditionEditorProps): string | undefined {
  const asked = useSettled(condition, JUDGED_AFTER_MS);
  const hasValue = (asked.values?.length ?? 0) > 0 || Boolean(asked.value);
  const judged = { ...asked, contextName: judgedAs ?? asked.contextName };
  const { data } = useQuery({
    queryKey: ['own', 'constraint', judged],
    enabled: hasValue && asked.contextName !== '',
    gcTime: 0,
    queryFn: async () => {
      const answer = await write(api.POST('/api/admin/constraints/validate', { body: judged }));
      return answer.ok ? null : (answer.failure.details[0]?.message ?? answer.failure.message);
    },
  });
  return data ?? undefined;
}

/** Whether the person has left the condition. One that was incomplete when it was opened was left before. */
function useLeft({ condition, missing }: ConditionEditorProps) {
  const [isLeft, setLeft] = useState(missing !== undefined && condition.contextName !== '');
  const onBlur = ({ currentTarget, relatedTarget, target }: FocusEvent) => {
    const isInside = currentTarget.contains(relatedTarget) || relatedTarget?.closest('[role=listbox]');
    // The window may have lost the focus, not the field.
    if (!isInside && document.activeElement !== target) setLeft(true);
  };
  return { isLeft, onBlur };
}

/** A condition: what it is about, the operator, and the values. */
export function ConditionEditor(props: ConditionEditorProps) {
  const { condition, names, nameLabel, hasLongNames = false, remove, missing, isKept, onChange } = props;
  const { newNameIs, warnings } = props;
  const problem = useProblem(props);
  const { isLeft, onBlur } = useLeft(props);
  const error = isLeft && !isKept ? missing : undefined;
  const isUnnamed = condition.contextName === '';
  return (
    <fieldset className={styles.constraint} onBlur={onBlur}>
      <legend className="visually-hidden">{constraintText(condition)}</legend>
      <div className={classes(styles.constraintHead, hasLongNames && styles.longNames)}>
        <Combobox
          label={nameLabel}
          mono
          newIs={newNameIs}
          options={names.map((name) => ({ value: name, label: name }))}
          placeholder={nameLabel}
          value={condition.contextName || null}
          onChange={(name) => onChange({ ...condition, contextName: name ?? '' })}
        />
        <Select
          label={words.operator}
          options={CHOICES}
          value={choiceOf(condition)}
          onChange={(choice) => onChange(withChoice(condition, choice))}
        />
        {remove}
      </div>
      {error && isUnnamed && <p className={styles.error}>{error}</p>}
      {missing && isKept && <Banner tone="warn">{missing}</Banner>}
      <Value {...props} error={isUnnamed ? undefined : error} />
      {warnings}
      {ignoresCase(condition.operator) && (
        <Checkbox
          label={words.ignoreCase}
          checked={condition.caseInsensitive ?? false}
          onChange={(caseInsensitive) => onChange({ ...condition, caseInsensitive })}
        />
      )}
      {problem && (
        <p className={styles.error} role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
