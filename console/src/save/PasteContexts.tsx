import { useState } from 'react';
import { type ContextSet, contextSetsQuery, SET_MAX, saveContextSet } from '../data/context-sets.ts';
import { forget, useKept } from '../data/kept.ts';
import type { ContextsProblem } from '../domain/contexts.ts';
import type { ChosenContexts } from '../domain/tried-contexts.ts';
import { type TriedText, triedText } from '../domain/tried-text.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { TextArea, TextInput } from '../kit/inputs/TextInput.tsx';
import { problemOfContexts, triedContexts as words } from '../words/en/contexts.ts';
import { FailureText } from './FailureText.tsx';
import styles from './Save.module.css';
import { useWrite } from './use-write.ts';

interface SaveSetProps {
  readonly contexts: TriedText['contexts'];
  readonly onSaved: (set: ContextSet) => void;
}

function SaveSet({ contexts, onSaved }: SaveSetProps) {
  const [name, setName] = useKept('name', '', 'contexts');
  const { run, isPending, failure } = useWrite();
  const isLong = contexts.length > SET_MAX;
  const reason = isLong ? words.setLong(SET_MAX) : name.trim() === '' ? words.nameMissing : undefined;
  const save = () =>
    run(() => saveContextSet(name.trim(), contexts), {
      text: words.saved(name.trim()),
      refresh: [contextSetsQuery.queryKey],
      onDone: (set) => {
        forget('contexts');
        onSaved(set);
      },
    });
  return (
    <>
      <Field label={words.name} hint={words.nameHint(SET_MAX)}>
        <TextInput maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <div>
        <Button size="small" pending={isPending} reason={reason} onClick={() => void save()}>
          {words.save}
        </Button>
      </div>
      <FailureText failure={failure} />
    </>
  );
}

interface PasteContextsProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Null while the text is not tried. */
  readonly onGiven: (contexts: ChosenContexts | null) => void;
  readonly onSaved: (set: ContextSet) => void;
}

/** Contexts as JSON. They are tried on demand, because the text is read line by line. */
export function PasteContexts({ text, onText, onGiven, onSaved }: PasteContextsProps) {
  const [problem, setProblem] = useState<ContextsProblem | null>(null);
  const [given, setGiven] = useState<TriedText | null>(null);
  const change = (next: string) => {
    onText(next);
    setProblem(null);
    setGiven(null);
    onGiven(null);
  };
  const use = () => {
    const tried = triedText(text);
    const isRead = 'chosen' in tried;
    setProblem(isRead ? null : tried.problem);
    setGiven(isRead ? tried : null);
    onGiven(isRead ? tried.chosen : null);
  };
  return (
    <div className={styles.who}>
      <Field label={words.pasted} hint={words.pastedHint} error={problem ? problemOfContexts(problem) : undefined}>
        <TextArea mono rows={5} value={text} onChange={(event) => change(event.target.value)} />
      </Field>
      <div>
        <Button size="small" onClick={use}>
          {words.use}
        </Button>
      </div>
      {given && <SaveSet contexts={given.contexts} onSaved={onSaved} />}
    </div>
  );
}
