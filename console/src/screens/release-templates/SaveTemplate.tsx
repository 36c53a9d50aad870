import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import type { MayNot } from '../../data/may.ts';
import { useClosedByBack } from '../../data/opened.ts';
import { Dialog } from '../../kit/overlays/Dialog.tsx';
import styles from '../../parts/parts.module.css';
import { saveTemplate, type Template, type TemplateDraft } from '../../release-plans/template-data.ts';
import { Difference } from '../../save/Difference.tsx';
import { FailureText } from '../../save/FailureText.tsx';
import { Reason } from '../../save/Reason.tsx';
import { SaveButtons } from '../../save/SaveButtons.tsx';
import { useWrite } from '../../save/use-write.ts';
import { templates as words } from '../../words/en/flags/release.ts';
import { parts } from '../../words/en/parts.ts';
import { save as saveWords } from '../../words/en/save.ts';

interface SaveTemplateProps {
  readonly template: Template;
  /** The name of what is typed. */
  readonly form: string;
  readonly base: TemplateDraft;
  readonly draft: TemplateDraft;
  readonly sentences: readonly string[];
  readonly blocked: MayNot;
  readonly onSaved: (template: Template) => void;
  readonly onClose: () => void;
}

/** Shows what changes, asks why, and saves. */
export function SaveTemplate({ template, form, base, draft, sentences, blocked, onSaved, onClose }: SaveTemplateProps) {
  const [reason, setReason] = useKept('reason', '', form);
  const { run, isPending, failure } = useWrite();
  useClosedByBack(true, onClose);
  const saving = () => saveTemplate(template, base, draft, reason);
  const save = () =>
    void run(saving, {
      text: words.saved(draft.name),
      refresh: [keys.releaseTemplates(), keys.releaseTemplate(template.id)],
      onDone: onSaved,
    });
  return (
    <Dialog
      open
      onClose={onClose}
      title={words.saveTitle(draft.name)}
      hasDraft={reason !== ''}
      footer={
        <SaveButtons
          label={parts.save}
          isPending={isPending}
          saving={saving}
          blocked={blocked}
          onSave={save}
          onCancel={onClose}
        />
      }
    >
      <div className={styles.stack}>
        <Difference
          title={saveWords.difference}
          sentences={sentences.map((text) => ({ text }))}
          json={{ before: base, after: draft }}
        />
        <p className={styles.quiet}>{words.plansStay}</p>
        <Reason value={reason} onChange={setReason} />
        <FailureText failure={failure} />
      </div>
    </Dialog>
  );
}
