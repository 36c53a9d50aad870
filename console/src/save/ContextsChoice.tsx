import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type ContextSet, contextSetsQuery, contextsOfSet, deleteContextSet } from '../data/context-sets.ts';
import { useKept } from '../data/kept.ts';
import { type Chosen, ofSet } from '../domain/tried-contexts.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { triedContexts as words } from '../words/en/contexts.ts';
import { PasteContexts } from './PasteContexts.tsx';
import styles from './Save.module.css';
import { useQuickWrite } from './use-write.ts';

const MADE_UP = 'made-up';
const PASTED = 'pasted';
const NO_SETS: readonly ContextSet[] = [];

interface ContextsChoiceProps {
  readonly onChange: (chosen: Chosen) => void;
  /** Beside it: what else is chosen of made-up contexts. */
  readonly children?: ReactNode;
}

/** Which contexts a change is tried on: made-up ones, a saved set, or pasted ones. */
export function ContextsChoice({ onChange, children }: ContextsChoiceProps) {
  const { data: sets = NO_SETS } = useQuery(contextSetsQuery);
  const [value, setValue] = useState<string>(MADE_UP);
  const [text, setText] = useKept('text', '', 'contexts');
  const { run, isPending } = useQuickWrite();
  const set = sets.find(({ id }) => String(id) === value);
  const choose = (next: string) => {
    setValue(next);
    const chosen = sets.find(({ id }) => String(id) === next);
    onChange(chosen ? ofSet(chosen) : next === PASTED ? null : undefined);
  };
  const chooseSaved = (saved: ContextSet) => {
    setText('');
    setValue(String(saved.id));
    onChange(ofSet(saved));
  };
  /** The contexts stay in the field: saving them again undoes it. */
  const remove = async ({ id, name }: ContextSet) => {
    const done = { text: words.deleted(name), refresh: [contextSetsQuery.queryKey] };
    let kept = '';
    const removing = async () => {
      kept = (await contextsOfSet(id)).map((one) => JSON.stringify(one)).join('\n');
      return await deleteContextSet(id);
    };
    const onDone = () => {
      setText(kept);
      choose(PASTED);
    };
    await run(removing, { ...done, onDone });
  };
  return (
    <>
      <div className={styles.line}>
        <Select
          size="small"
          label={words.choice}
          value={value}
          onChange={choose}
          options={[
            { value: MADE_UP, label: words.madeUp },
            ...sets.map(({ id, name, count }) => ({ value: String(id), label: name, hint: words.count(count) })),
            { value: PASTED, label: words.paste },
          ]}
        />
        {children}
        {set && (
          <Button size="small" kind="quiet" pending={isPending} onClick={() => void remove(set)}>
            {words.remove}
          </Button>
        )}
      </div>
      {value === PASTED && <PasteContexts text={text} onText={setText} onGiven={onChange} onSaved={chooseSaved} />}
    </>
  );
}
