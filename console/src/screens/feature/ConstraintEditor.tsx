import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useDeferredValue } from 'react';
import { api, write } from '../../data/client.ts';
import { useContextFields } from '../../data/settings.ts';
import type { Constraint, Operator } from '../../domain/model.ts';
import { constraintText } from '../../kit/changes/rule-words.ts';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Combobox } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { strategyEditor as words } from '../../words/en/flags/feature.ts';
import { rules } from '../../words/en/rules.ts';
import styles from './Editor.module.css';
import { ValuesEditor, type ValuesLimit } from './ValuesEditor.tsx';

/** `NOT_IN` is the other word for an inverted `IN`, so it is not offered a second time. */
const OPERATORS: readonly Operator[] = [
  'IN',
  'STR_CONTAINS',
  'STR_STARTS_WITH',
  'STR_ENDS_WITH',
  'REGEX',
  'NUM_EQ',
  'NUM_GT',
  'NUM_GTE',
  'NUM_LT',
  'NUM_LTE',
  'DATE_AFTER',
  'DATE_BEFORE',
  'SEMVER_EQ',
  'SEMVER_GT',
  'SEMVER_GTE',
  'SEMVER_LT',
  'SEMVER_LTE',
  'IN_CIDR',
];
const KNOWN_FIELDS = ['userId', 'sessionId', 'remoteAddress', 'appName', 'environment', 'currentTime'];

const takesList = (operator: Operator) => /^(NOT_IN|IN|IN_CIDR|STR_.*)$/.test(operator);
const ignoresCase = (operator: Operator) => operator.startsWith('STR_') || operator === 'REGEX';

/** An operator and whether it is inverted, as one choice. */
const choiceOf = ({ operator, inverted = false }: Constraint) =>
  operator === 'NOT_IN' ? (inverted ? 'IN' : '!IN') : `${inverted ? '!' : ''}${operator}`;

const CHOICES = OPERATORS.flatMap((operator) => [
  { value: operator as string, label: rules.operators[operator]?.plain ?? operator, hint: operator },
  { value: `!${operator}`, label: rules.operators[operator]?.inverted ?? operator, hint: operator },
]);

/** Keeps what is still meaningful: a list becomes its first value, and the other way round. */
function withChoice(constraint: Constraint, choice: string): Constraint {
  const operator = choice.replace('!', '') as Operator;
  const inverted = choice.startsWith('!');
  const base = {
    contextName: constraint.contextName,
    caseInsensitive: ignoresCase(operator) && (constraint.caseInsensitive ?? false),
  };
  if (takesList(operator)) {
    const values = constraint.values?.length ? constraint.values : constraint.value ? [constraint.value] : [];
    return operator === 'IN' && inverted
      ? { ...base, operator: 'NOT_IN', inverted: false, values }
      : { ...base, operator, inverted, values };
  }
  return { ...base, operator, inverted, values: [], value: constraint.value || (constraint.values?.[0] ?? '') };
}

/** A time in the form of the control, in the time zone of the browser. */
const localTime = (text: string | undefined) => {
  const date = new Date(text ?? '');
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

function Value({ constraint, limit, onChange }: ConstraintEditorProps) {
  const { data: fields } = useContextFields();
  const { operator } = constraint;
  const legal = fields?.find(({ name }) => name === constraint.contextName)?.legalValues ?? [];
  const values = constraint.values ?? [];
  if (takesList(operator) && legal.length > 0 && legal.length <= 50 && !operator.startsWith('STR_')) {
    const all = [
      ...legal.map(({ value }) => value),
      ...values.filter((value) => !legal.some((one) => one.value === value)),
    ];
    return (
      <fieldset className={styles.legal}>
        <legend className={styles.quiet}>{words.values}</legend>
        {all.map((value) => (
          <Checkbox
            key={value}
            label={value}
            checked={values.includes(value)}
            onChange={(on) =>
              onChange({ ...constraint, values: on ? [...values, value] : values.filter((one) => one !== value) })
            }
          />
        ))}
      </fieldset>
    );
  }
  if (takesList(operator)) {
    return (
      <ValuesEditor
        label={words.values}
        limit={limit}
        values={values}
        onChange={(list) => onChange({ ...constraint, values: [...list] })}
      />
    );
  }
  const isDate = operator.startsWith('DATE_');
  return (
    <Field label={words.value} hint={isDate ? words.dateHint : undefined}>
      <TextInput
        mono
        type={isDate ? 'datetime-local' : 'text'}
        inputMode={operator.startsWith('NUM_') ? 'decimal' : 'text'}
        value={isDate ? localTime(constraint.value) : (constraint.value ?? '')}
        onChange={(event) => {
          const { value } = event.target;
          onChange({ ...constraint, value: isDate && value ? new Date(value).toISOString() : value });
        }}
      />
    </Field>
  );
}

/** What the server says about the constraint, as soon as it has a value. */
function useProblem(constraint: Constraint): string | undefined {
  const asked = useDeferredValue(constraint);
  const hasValue = (asked.values?.length ?? 0) > 0 || Boolean(asked.value);
  const { data } = useQuery({
    queryKey: ['own', 'constraint', asked],
    enabled: hasValue && asked.contextName !== '',
    gcTime: 0,
    queryFn: async () => {
      const answer = await write(api.POST('/api/admin/constraints/validate', { body: asked }));
      return answer.ok ? null : (answer.failure.details[0]?.message ?? answer.failure.message);
    },
  });
  return data ?? undefined;
}

interface ConstraintEditorProps {
  readonly constraint: Constraint;
  readonly limit: ValuesLimit | undefined;
  /** Null removes it. */
  readonly onChange: (constraint: Constraint | null) => void;
}

export function ConstraintEditor(props: ConstraintEditorProps) {
  const { constraint, onChange } = props;
  const { data: fields } = useContextFields();
  const problem = useProblem(constraint);
  const names = new Set([...(fields ?? []).map(({ name }) => name), ...KNOWN_FIELDS]);
  return (
    <fieldset className={styles.constraint}>
      <legend className="visually-hidden">{constraintText(constraint)}</legend>
      <div className={styles.constraintHead}>
        <Combobox
          label={words.context}
          mono
          allowsNew
          options={[...names].map((name) => ({ value: name, label: name }))}
          value={constraint.contextName}
          onChange={(name) => onChange({ ...constraint, contextName: name ?? '' })}
        />
        <Select
          label={words.operator}
          options={CHOICES}
          value={choiceOf(constraint)}
          onChange={(choice) => onChange(withChoice(constraint, choice))}
        />
        <IconButton
          size="small"
          icon={<Trash2 aria-hidden />}
          label={words.removeConstraint}
          onClick={() => onChange(null)}
        />
      </div>
      <Value {...props} />
      {ignoresCase(constraint.operator) && (
        <Checkbox
          label={words.ignoreCase}
          checked={constraint.caseInsensitive ?? false}
          onChange={(caseInsensitive) => onChange({ ...constraint, caseInsensitive })}
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
