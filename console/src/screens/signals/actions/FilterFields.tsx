import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useMay } from '../../../data/may.ts';
import { useUiConfig } from '../../../data/settings.ts';
import type { Constraint } from '../../../domain/model.ts';
import { CodeBlock } from '../../../kit/texts/CodeBlock.tsx';
import styles from '../../../parts/parts.module.css';
import { Rows } from '../../../parts/Rows.tsx';
import { Words } from '../../../save/Words.tsx';
import { ConditionEditor } from '../../../strategies/ConditionEditor.tsx';
import { NEW_CONDITION } from '../../../strategies/condition.ts';
import editor from '../../../strategies/Editor.module.css';
import type { ValuesLimit } from '../../../strategies/ValuesEditor.tsx';
import { actions as words } from '../../../words/en/actions.ts';
import { signalsQuery } from '../signal-data.ts';
import { pathsOf } from './signal-paths.ts';

/** The filter is judged as a condition on this name, because paths have signs that names of context fields cannot have. */
const JUDGED_AS = 'signal';

/** The content of the last signal of the endpoint. Only admins may see signals. */
function useLastSignal(sourceId: number | null): unknown {
  const isAdmin = useMay('ADMIN') === undefined;
  const { data } = useQuery({ ...signalsQuery(sourceId ?? 0), enabled: isAdmin && sourceId !== null });
  return data?.find(({ payload }) => payload !== null)?.payload;
}

function useLimit(): ValuesLimit | undefined {
  const max = useUiConfig()?.resourceLimits?.actionSetFilterValues;
  return max === undefined ? undefined : { max, others: 0, exceeded: words.overValues(max) };
}

interface FilterFieldsProps {
  readonly sourceId: number | null;
  readonly filters: readonly Constraint[];
  readonly onChange: (filters: readonly Constraint[]) => void;
}

/** Conditions on values of the signal. If a signal has arrived, its paths are offered and its content is shown. */
export function FilterFields({ sourceId, filters, onChange }: FilterFieldsProps) {
  const last = useLastSignal(sourceId);
  const paths = useMemo(() => pathsOf(last), [last]);
  const limit = useLimit();
  return (
    <fieldset className={editor.group}>
      <legend className={editor.legend}>{words.filters}</legend>
      <p className={styles.quiet}>
        <Words text={words.filtersHint} />
      </p>
      <Rows
        items={filters}
        nameOf={({ contextName }, index) => words.filter(contextName || String(index + 1))}
        addLabel={words.addFilter}
        make={() => NEW_CONDITION}
        onChange={onChange}
      >
        {({ item, remove, onChange: set }) => (
          <ConditionEditor
            condition={item}
            names={paths}
            hasLongNames
            nameLabel={words.path}
            newNameIs={last === undefined ? words.newPath : words.notInLast}
            remove={remove}
            limit={limit}
            judgedAs={JUDGED_AS}
            onChange={set}
          />
        )}
      </Rows>
      {last !== undefined && (
        <details>
          <summary className={editor.summary}>{words.lastSignal}</summary>
          <CodeBlock label={words.lastSignal} code={JSON.stringify(last, undefined, 2)} />
        </details>
      )}
    </fieldset>
  );
}
