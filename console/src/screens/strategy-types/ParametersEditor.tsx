import { check, choice, FieldList, firstOf, text } from '../../parts/fields.tsx';
import styles from '../../parts/parts.module.css';
import { type Row, Rows } from '../../parts/Rows.tsx';
import { strategyTypes as words } from '../../words/en/admin/strategy-types.ts';
import { parts } from '../../words/en/parts.ts';
import type { Parameter } from './strategy-type-data.ts';

const fields = {
  name: text(parts.name, { max: 100, mono: true, trims: true, isRequired: true }),
  type: choice<Parameter['type']>(words.parameterType, words.kinds, 'string'),
  description: text(words.parameterDescription, { max: 500 }),
  required: check(words.required),
};
const PARAMETERS_MAX = 100;

const nameOf = ({ name }: Parameter, index: number) => name || words.parameter(index + 1);

function One({ item: parameter, index, order, remove, onChange }: Row<Parameter>) {
  return (
    <li className={styles.card}>
      <div className={styles.between}>
        <h4 className={styles.label}>{nameOf(parameter, index)}</h4>
        <div className={styles.row}>
          {order}
          {remove}
        </div>
      </div>
      <FieldList fields={fields} values={parameter} onChange={(_, changed) => onChange({ ...parameter, ...changed })} />
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
    return { key, ...firstOf(fields) };
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
