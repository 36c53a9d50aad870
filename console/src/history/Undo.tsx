import { Undo2 } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { undo } from '../data/save.ts';
import { useUrlState } from '../data/url-state.ts';
import type { HistoryChange, HistoryEntry } from '../domain/model.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { CopySave } from '../save/CopySave.tsx';
import { useSegmentNames } from '../save/SettingsRule.tsx';
import { saveByKey } from '../save/save-key.ts';
import { afterUndo, useWrite } from '../save/use-write.ts';
import { Words } from '../save/Words.tsx';
import { undoWords } from '../words/en/history.ts';
import { undo as words } from '../words/en/undo.ts';
import styles from './HistoryList.module.css';
import { UndoConflict } from './UndoConflict.tsx';
import { isDelivered, useIsInProduction } from './use-in-production.ts';
import { useMayUndo } from './use-may-undo.ts';
import { useUndoPreview } from './use-undo-preview.ts';

const NO_CHANGES: readonly HistoryChange[] = [];

interface UndoProps {
  readonly revision: number;
  /** The commit, if its changes are known: the form then says what the undo does. */
  readonly entry: HistoryEntry | undefined;
  readonly about?: string | undefined;
  readonly onDone?: (() => void) | undefined;
}

/** The button of a commit, and in its place the form that undoes it. */
export function Undo(props: UndoProps) {
  const [opened, setOpened] = useUrlState('undo');
  const [wasOpen, setWasOpen] = useState(false);
  const mayNot = useMayUndo();
  if (opened === String(props.revision)) return <UndoForm {...props} onClose={() => setOpened('')} />;
  const open = () => {
    setOpened(String(props.revision));
    setWasOpen(true);
  };
  // The focus was in the form, which is gone.
  return (
    <Button size="small" icon={<Undo2 aria-hidden />} autoFocus={wasOpen} reason={mayNot} onClick={open}>
      {words.undo}
    </Button>
  );
}

function UndoForm({ revision, entry, about, onDone, onClose }: UndoProps & { readonly onClose: () => void }) {
  const segments = useSegmentNames();
  const changes = entry?.changes ?? NO_CHANGES;
  const isInProduction = useIsInProduction(changes);
  const [reason, setReason] = useState('');
  const { run, isPending, failure } = useWrite();
  const refusal = useUndoPreview(revision, changes, isPending);
  const refused = refusal ?? failure;
  const does = entry && undoWords(entry, about, segments);
  const undoing = () => undo([revision], reason);
  const save = () =>
    void run(undoing, {
      ...afterUndo(words.revision(revision), entry === undefined || isDelivered(entry.changes)),
      onDone: () => {
        onClose();
        onDone?.();
      },
    });
  const onKeyDown = (event: KeyboardEvent) => {
    saveByKey(event, isPending || refusal !== null, save);
    // A panel around the form stays open.
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    onClose();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys for the whole form.
    <div className={styles.undo} onKeyDown={onKeyDown}>
      {does && !refusal && (
        <p>
          <Words text={words.does(does)} />
        </p>
      )}
      {!refusal && <p>{words.hint}</p>}
      {refused && <UndoConflict failure={refused} changes={changes} />}
      <Field label={words.reason}>
        <TextInput maxLength={500} autoFocus value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
      <div className={styles.buttons}>
        <CopySave saving={undoing} />
        <Button size="small" onClick={onClose}>
          {words.cancel}
        </Button>
        <Button
          size="small"
          kind={isInProduction ? 'production' : 'primary'}
          pending={isPending}
          reason={refusal ? words.cannot : undefined}
          onClick={save}
        >
          {words.run(revision)}
        </Button>
      </div>
    </div>
  );
}
