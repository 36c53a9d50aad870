import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { Button } from '../../kit/inputs/Button.tsx';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import styles from '../../parts/parts.module.css';
import { strategyTypes as words } from '../../words/en/admin/strategy-types.ts';
import type { Parameter } from './strategy-type-data.ts';

const KINDS = ['string', 'percentage', 'list', 'number', 'boolean'] as const;
const PARAMETERS_MAX = 100;

interface OneProps {
  readonly parameter: Parameter;
  readonly position: number;
  readonly count: number;
  readonly onChange: (parameter: Parameter) => void;
  readonly onRemove: () => void;
  readonly onMove: (step: -1 | 1) => void;
}

function One({ parameter, position, count, onChange, onRemove, onMove }: OneProps) {
  const { name, type, description, required } = parameter;
  const shown = name || words.parameter(position);
  return (
    <li className={styles.card}>
      <div className={styles.between}>
        <h4 className={styles.label}>{shown}</h4>
        <div className={styles.row}>
          {position > 1 && (
            <IconButton
              size="small"
              icon={<ArrowUp aria-hidden />}
              label={words.moveUp(shown)}
              onClick={() => onMove(-1)}
            />
          )}
          {position < count && (
            <IconButton
              size="small"
              icon={<ArrowDown aria-hidden />}
              label={words.moveDown(shown)}
              onClick={() => onMove(1)}
            />
          )}
          <IconButton size="small" icon={<X aria-hidden />} label={words.removeParameter(shown)} onClick={onRemove} />
        </div>
      </div>
      <Field label={words.parameterName} required>
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
  const add = () => {
    const key = 1 + Math.max(-1, ...parameters.map((parameter) => parameter.key));
    onChange([...parameters, { key, name: '', type: 'string', description: '', required: false }]);
  };
  const move = (index: number, step: -1 | 1) => {
    const next = [...parameters];
    const [moved] = next.splice(index, 1);
    if (moved) next.splice(index + step, 0, moved);
    onChange(next);
  };
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{words.parameters}</h3>
      <p className={styles.quiet}>{parameters.length === 0 ? words.noParameters : words.parametersHint}</p>
      {parameters.length > 0 && (
        <ol className={styles.stack}>
          {parameters.map((parameter, index) => (
            <One
              key={parameter.key}
              parameter={parameter}
              position={index + 1}
              count={parameters.length}
              onChange={(next) => onChange(parameters.map((one) => (one.key === next.key ? next : one)))}
              onRemove={() => onChange(parameters.filter(({ key }) => key !== parameter.key))}
              onMove={(step) => move(index, step)}
            />
          ))}
        </ol>
      )}
      {parameters.length < PARAMETERS_MAX && (
        <div>
          <Button size="small" icon={<Plus aria-hidden />} onClick={add}>
            {words.addParameter}
          </Button>
        </div>
      )}
    </section>
  );
}
