import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import styles from '../../parts/parts.module.css';
import { type Row, Rows } from '../../parts/Rows.tsx';
import { strategyTypes as words } from '../../words/en/admin/strategy-types.ts';
import { parts } from '../../words/en/parts.ts';
import type { Parameter } from './strategy-type-data.ts';

const KINDS = ['string', 'percentage', 'list', 'number', 'boolean'] as const;
const PARAMETERS_MAX = 100;

const nameOf = ({ name }: Parameter, index: number) => name || words.parameter(index + 1);

function One({ item: parameter, index, order, remove, onChange }: Row<Parameter>) {
  const { name, type, description, required } = parameter;
  return (
    <li className={styles.card}>
      <div className={styles.between}>
        <h4 className={styles.label}>{nameOf(parameter, index)}</h4>
        <div className={styles.row}>
          {order}
          {remove}
        </div>
      </div>
      <Field label={parts.name} required>
        <TextInput
          mono
          maxLength={100}
          value={name}
          onChange={(event) => onChange({ ...parameter, name: event.target.value.trim() })}
        />
      </Field>
      <Field label={words.parameterType}>
        <Select
          value={type}
          onChange={(value) => onChange({ ...parameter, type: value as Parameter['type'] })}
          options={KINDS.map((value) => ({ value, label: words.kinds[value] }))}
        />
      </Field>
      <Field label={words.parameterDescription}>
        <TextInput
          maxLength={500}
          value={description}
          onChange={(event) => onChange({ ...parameter, description: event.target.value })}
        />
      </Field>
      <Checkbox
        label={words.required}
        checked={required}
        onChange={(checked) => onChange({ ...parameter, required: checked })}
      />
    </li>
  );
}

interface ParametersEditorProps {
  readonly parameters: readonly Parameter[];
  readonly onChange: (parameters: readonly Parameter[]) => void;
}

/** What strategies of a custom type ask for, in the order in which editors show it. */
export function ParametersEditor({ parameters, onChange }: ParametersEditorProps) {
  const make = (): Parameter => {
    const key = 1 + Math.max(-1, ...parameters.map((parameter) => parameter.key));
    return { key, name: '', type: 'string', description: '', required: false };
  };
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{words.parameters}</h3>
      <p className={styles.quiet}>{parameters.length === 0 ? words.noParameters : words.parametersHint}</p>
      <Rows
        isOrdered
        list={styles.stack}
        items={parameters}
        nameOf={nameOf}
        keyOf={({ key }) => key}
        addLabel={words.addParameter}
        make={make}
        max={PARAMETERS_MAX}
        onChange={onChange}
      >
        {(row) => <One {...row} />}
      </Rows>
    </section>
  );
}
