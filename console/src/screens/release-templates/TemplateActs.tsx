import { keys } from '../../data/keys.ts';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { archiveTemplate, deleteTemplate, type Template, useMayTemplate } from '../../release-plans/template-data.ts';
import { templates as words } from '../../words/en/flags/release.ts';
import { parts } from '../../words/en/parts.ts';

export const ACTS = ['archive', 'delete'] as const;
export type Act = (typeof ACTS)[number];

interface ConfirmActProps {
  readonly act: Act;
  readonly template: Template;
  readonly onDone?: () => void;
  readonly onClose: () => void;
}

/** Archives a template, or deletes it. */
export function ConfirmAct({ act, template, onDone, onClose }: ConfirmActProps) {
  const { id, name, project } = template;
  const isDelete = act === 'delete';
  return (
    <ConfirmDialog<unknown>
      danger={isDelete}
      title={isDelete ? words.deleteTitle(name) : words.archiveTitle(name)}
      sentences={isDelete ? words.deleteEffects : words.archiveEffects}
      label={isDelete ? parts.delete : words.archiveLabel}
      mayNot={useMayTemplate('DELETE', project ?? undefined)}
      act={(reason) => (isDelete ? deleteTemplate(template, reason) : archiveTemplate(template, reason))}
      saved={{
        text: isDelete ? words.deleted(name) : words.wasArchived(name),
        refresh: isDelete ? [keys.releaseTemplates()] : [keys.releaseTemplates(), keys.releaseTemplate(id)],
      }}
      onDone={() => onDone?.()}
      onClose={onClose}
    />
  );
}
