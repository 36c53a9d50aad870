import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import type { MayNot } from '../../data/may.ts';
import { Submitting } from '../../kit/overlays/submit.tsx';
import parts from '../../parts/parts.module.css';
import { createTemplate, type Owner, type Template, type TemplateDraft } from '../../release-plans/template-data.ts';
import { FailureText } from '../../save/FailureText.tsx';
import { Reason } from '../../save/Reason.tsx';
import { SaveButtons } from '../../save/SaveButtons.tsx';
import { useWrite } from '../../save/use-write.ts';
import { templates as words } from '../../words/en/flags/release.ts';
import { parts as partWords } from '../../words/en/parts.ts';

interface CreateTemplateProps {
  readonly owner: Owner;
  /** The name of what is typed. */
  readonly form: string;
  readonly draft: TemplateDraft;
  readonly blocked: MayNot;
  readonly children: React.ReactNode;
  readonly onCreated: (template: Template) => void;
  readonly onCancel: () => void;
}

/** The form of a new template, with its end: all of it is new, so there is no difference to review. */
export function CreateTemplate({ owner, form, draft, blocked, children, onCreated, onCancel }: CreateTemplateProps) {
  const [reason, setReason] = useKept('reason', '', form);
  const { run, isPending, failure } = useWrite();
  const saving = () => createTemplate(owner, draft, reason);
  const create = () =>
    void run(saving, { text: words.created(draft.name), refresh: [keys.releaseTemplates()], onDone: onCreated });
  return (
    <Submitting className={parts.stack}>
      {children}
      <Reason value={reason} onChange={setReason} />
      <FailureText failure={failure} />
      <div className={parts.row}>
        <SaveButtons
          label={partWords.create}
          isPending={isPending}
          saving={saving}
          blocked={blocked}
          onSave={create}
          onCancel={onCancel}
        />
      </div>
    </Submitting>
  );
}
