import type { ReactNode } from 'react';
import { jsonProblem } from '../domain/json-problem.ts';
import type { Variant } from '../domain/model.ts';
import { shared, sumOf, WHOLE } from '../domain/weights.ts';
import { Field } from '../kit/inputs/Field.tsx';
import { TextArea } from '../kit/inputs/TextInput.tsx';
import { check, choice, FieldList, share, text } from '../parts/fields.tsx';
import { Rows } from '../parts/Rows.tsx';
import { strategyEditor, variantEditor as words } from '../words/en/flags/feature.ts';
import { parts } from '../words/en/parts.ts';
import { numberText } from '../words/number-text.ts';
import styles from './Editor.module.css';

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
  if (variants.some(({ name }) => name.trim() === '')) return parts.fieldMissing(parts.name);
  if (new Set(variants.map(({ name }) => name)).size < variants.length) return words.twice;
  if (sumOf(variants) !== WHOLE) return words.sumWrong(numberText(sumOf(variants) / WHOLE, 'percent'));
  return variants.map(({ payload }) => payloadProblem(payload)).find((problem) => problem !== undefined);
}

interface VariantFieldsProps {
  readonly variant: Variant;
  readonly isTwice: boolean;
  readonly remove: ReactNode;
  readonly onChange: (variant: Variant) => void;
}

const WEIGHT = { weight: share(words.weight) };
const KIND = {
  isFixed: check(words.fixed),
  type: choice<keyof typeof words.payloadTypes>(words.payload, words.payloadTypes, 'none'),
};

function VariantFields({ variant, isTwice, remove, onChange }: VariantFieldsProps) {
  const { name, payload, ...rest } = variant;
  const isFixed = variant.weightType === 'fix';
  const names = {
    name: text(parts.name, { mono: true, max: 100, problem: () => (isTwice ? words.twice : undefined) }),
  };
  return (
    <fieldset className={styles.constraint}>
      <legend className="visually-hidden">{name}</legend>
      <div className={styles.variantHead}>
        <FieldList fields={names} values={{ name }} onChange={(next) => onChange({ ...variant, ...next })} />
        <FieldList
          fields={WEIGHT}
          values={{ weight: variant.weight / 10 }}
          mayNot={isFixed ? undefined : words.hint}
          onChange={({ weight }) => onChange({ ...variant, weight: Math.round(weight * 10) })}
        />
        {remove}
      </div>
      <FieldList
        fields={KIND}
        values={{ isFixed, type: payload?.type ?? 'none' }}
        onChange={({ isFixed: isNowFixed, type }) =>
          onChange({
            ...rest,
            name,
            weightType: isNowFixed ? 'fix' : 'variable',
            ...(type !== 'none' && { payload: { type, value: payload?.value ?? '' } }),
          })
        }
      />
      {payload && (
        <Field label={words.value} isLabelHidden error={payloadProblem(payload)}>
          <TextArea
            mono
            value={payload.value}
            onChange={({ target }) => onChange({ ...variant, payload: { ...payload, value: target.value } })}
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
  const make = (): Variant => {
    let number = variants.length + 1;
    while (variants.some(({ name }) => name === `variant-${number}`)) number += 1;
    return {
      name: `variant-${number}`,
      weight: 0,
      weightType: 'variable',
      stickiness: variants[0]?.stickiness ?? stickiness,
    };
  };
  const sum = sumOf(variants);
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{strategyEditor.variants}</legend>
      <Rows
        items={variants}
        nameOf={({ name }) => words.named(name)}
        addLabel={words.add}
        make={make}
        onChange={(next) => onChange(shared(next))}
        between={
          variants.length > 0 && (
            <p className={sum === WHOLE ? styles.quiet : styles.error} role="status">
              {sum === WHOLE
                ? `${words.sum(numberText(1, 'percent'))}. ${words.hint}`
                : words.sumWrong(numberText(sum / WHOLE, 'percent'))}
            </p>
          )
        }
      >
        {({ item, remove, onChange: set }) => (
          <VariantFields
            variant={item}
            isTwice={variants.filter(({ name }) => name === item.name).length > 1}
            remove={remove}
            onChange={set}
          />
        )}
      </Rows>
    </fieldset>
  );
}
