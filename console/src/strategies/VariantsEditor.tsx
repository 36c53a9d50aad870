import { Plus, Trash2 } from 'lucide-react';
import { jsonProblem } from '../domain/json-problem.ts';
import type { Variant } from '../domain/model.ts';
import { shared, sumOf, WHOLE } from '../domain/weights.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Checkbox } from '../kit/inputs/Checkbox.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { IconButton } from '../kit/inputs/IconButton.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { TextArea, TextInput } from '../kit/inputs/TextInput.tsx';
import { strategyEditor, variantEditor as words } from '../words/en/flags/feature.ts';
import { numberText } from '../words/number-text.ts';
import styles from './Editor.module.css';

type PayloadType = keyof typeof words.payloadTypes;
const PAYLOADS = Object.entries(words.payloadTypes).map(([value, label]) => ({ value, label }));

function payloadProblem(payload: Variant['payload']): string | undefined {
  if (payload?.type === 'json') {
    const problem = jsonProblem(payload.value);
    return problem ? words.invalidJson(problem.line, problem.expected, problem.found) : undefined;
  }
  if (payload?.type === 'number')
    return payload.value.trim() === '' || Number.isNaN(Number(payload.value)) ? words.invalidNumber : undefined;
  return undefined;
}

/** What must be mended before the variants can be saved. */
export function variantsProblem(variants: readonly Variant[]): string | undefined {
  if (variants.length === 0) return undefined;
  if (sumOf(variants) !== WHOLE) return words.sumWrong(numberText(sumOf(variants) / WHOLE, 'percent'));
  return variants.map(({ payload }) => payloadProblem(payload)).find((problem) => problem !== undefined);
}

function VariantFields({
  variant,
  isTwice,
  onChange,
  onRemove,
}: {
  readonly variant: Variant;
  readonly isTwice: boolean;
  readonly onChange: (variant: Variant) => void;
  readonly onRemove: () => void;
}) {
  const isFixed = variant.weightType === 'fix';
  const type: PayloadType = variant.payload?.type ?? 'none';
  const setType = (next: string) => {
    const { payload, ...rest } = variant;
    onChange(next === 'none' ? rest : { ...rest, payload: { type: next as 'json', value: payload?.value ?? '' } });
  };
  return (
    <fieldset className={styles.constraint}>
      <legend className="visually-hidden">{variant.name}</legend>
      <div className={styles.variantHead}>
        <Field label={words.name} error={isTwice ? words.twice : undefined}>
          <TextInput
            mono
            value={variant.name}
            maxLength={100}
            onChange={(event) => onChange({ ...variant, name: event.target.value })}
          />
        </Field>
        <Field label={words.weight}>
          <TextInput
            inputMode="decimal"
            className={styles.number}
            readOnly={!isFixed}
            trailing="%"
            value={String(variant.weight / 10)}
            onChange={(event) => {
              const weight = Math.round(Number(event.target.value.replace(',', '.')) * 10);
              if (weight >= 0 && weight <= WHOLE) onChange({ ...variant, weight });
            }}
          />
        </Field>
        <IconButton size="small" icon={<Trash2 aria-hidden />} label={words.remove(variant.name)} onClick={onRemove} />
      </div>
      <Checkbox
        label={words.fixed}
        checked={isFixed}
        onChange={(on) => onChange({ ...variant, weightType: on ? 'fix' : 'variable' })}
      />
      <Field label={words.payload}>
        <Select options={PAYLOADS} value={type} onChange={setType} />
      </Field>
      {variant.payload && (
        <Field label={words.value} isLabelHidden error={payloadProblem(variant.payload)}>
          <TextArea
            mono
            value={variant.payload.value}
            onChange={(event) =>
              onChange({ ...variant, payload: { type: variant.payload?.type ?? 'string', value: event.target.value } })
            }
          />
        </Field>
      )}
    </fieldset>
  );
}

interface VariantsEditorProps {
  readonly variants: readonly Variant[];
  readonly stickiness: string;
  readonly onChange: (variants: Variant[]) => void;
}

/** Variants with weights that are 100 % together, and payloads that are checked while they are typed. */
export function VariantsEditor({ variants, stickiness, onChange }: VariantsEditorProps) {
  const change = (next: readonly Variant[]) => onChange(shared(next));
  const add = () => {
    let number = variants.length + 1;
    while (variants.some(({ name }) => name === `variant-${number}`)) number += 1;
    change([
      ...variants,
      {
        name: `variant-${number}`,
        weight: 0,
        weightType: 'variable',
        stickiness: variants[0]?.stickiness ?? stickiness,
      },
    ]);
  };
  const sum = sumOf(variants);
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{strategyEditor.variants}</legend>
      {variants.map((variant, index) => (
        <VariantFields
          // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while it is typed.
          key={index}
          variant={variant}
          isTwice={variants.filter(({ name }) => name === variant.name).length > 1}
          onChange={(next) => change(variants.with(index, next))}
          onRemove={() => change(variants.toSpliced(index, 1))}
        />
      ))}
      {variants.length > 0 && (
        <p className={sum === WHOLE ? styles.quiet : styles.error} role="status">
          {sum === WHOLE
            ? `${words.sum(numberText(1, 'percent'))}. ${words.hint}`
            : words.sumWrong(numberText(sum / WHOLE, 'percent'))}
        </p>
      )}
      <div>
        <Button size="small" icon={<Plus aria-hidden />} onClick={add}>
          {words.add}
        </Button>
      </div>
    </fieldset>
  );
}
