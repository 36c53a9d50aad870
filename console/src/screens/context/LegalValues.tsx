import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { valueWords } from '../../parts/differences.ts';
import type { FieldOf } from '../../parts/fields.tsx';
import styles from '../../parts/parts.module.css';
import { Rows } from '../../parts/Rows.tsx';
import { ValuesEditor } from '../../strategies/ValuesEditor.tsx';
import { context as words } from '../../words/en/context.ts';
import { parts } from '../../words/en/parts.ts';

type LegalValues = readonly { readonly value: string; readonly description: string }[];

interface LegalValuesProps {
  readonly values: LegalValues;
  readonly onChange: (values: LegalValues) => void;
}

function LegalValuesEditor({ values, onChange }: LegalValuesProps) {
  const setNames = (names: readonly string[]) => {
    const old = new Map(values.map((one) => [one.value, one]));
    onChange(names.map((value) => old.get(value) ?? { value, description: '' }));
  };
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{words.legalValues}</h3>
      <p className={styles.quiet}>{words.legalHint}</p>
      <ValuesEditor label={words.addValues} values={values.map(({ value }) => value)} onChange={setNames}>
        {(added) => (
          <Rows
            list={styles.tight}
            items={values.filter(({ value }) => added.includes(value))}
            nameOf={({ value }) => value}
            keyOf={({ value }) => value}
            onChange={(next) => onChange([...next, ...values.filter(({ value }) => !added.includes(value))])}
          >
            {({ item, remove, onChange: set }) => (
              <li className={styles.pair}>
                <code className={styles.cut}>{item.value}</code>
                <TextInput
                  size="small"
                  aria-label={words.describe(item.value)}
                  placeholder={parts.description}
                  value={item.description}
                  onChange={({ target }) => set({ ...item, description: target.value })}
                />
                {remove}
              </li>
            )}
          </Rows>
        )}
      </ValuesEditor>
    </section>
  );
}

function sentencesOf(before: LegalValues, after: LegalValues): string[] {
  const old = new Map(before.map(({ value, description }) => [value, description]));
  const now = new Map(after.map(({ value, description }) => [value, description]));
  const added = [...now.keys()].filter((value) => !old.has(value));
  const removed = [...old.keys()].filter((value) => !now.has(value));
  return [
    ...(added.length > 0 ? [words.added(valueWords(added))] : []),
    ...(removed.length > 0 ? [words.removed(valueWords(removed))] : []),
    ...[...now].flatMap(([value, text]) =>
      old.has(value) && old.get(value) !== text ? [words.described(value, valueWords(text))] : [],
    ),
  ];
}

/** The values that constraints offer, with a description of each. */
export const legalValues: FieldOf<LegalValues> = {
  label: words.legalValues,
  first: [],
  sentences: sentencesOf,
  show: ({ value, onChange }) => <LegalValuesEditor values={value} onChange={onChange} />,
};
