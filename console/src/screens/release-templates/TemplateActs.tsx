import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { templates as words } from '../../words/en/flags/release.ts';
import { parts } from '../../words/en/parts.ts';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { archiveTemplate, deleteTemplate, type Template } from './template-data.ts';

export const ACTS = ['archive', 'delete'] as const;
export type Act = (typeof ACTS)[number];

interface ConfirmActProps {
  readonly act: Act;
  readonly template: Template;
  readonly onDone?: () => void;
  readonly onClose: () => void;
}

/** Archives a template, or deletes it. */
export function ConfirmAct({ act, template: { id, name }, onDone, onClose }: ConfirmActProps) {
  const isDelete = act === 'delete';
  return (
    <ConfirmDialog<unknown>
      danger={isDelete}
      title={isDelete ? words.deleteTitle(name) : words.archiveTitle(name)}
      sentences={isDelete ? words.deleteEffects : words.archiveEffects}
      label={isDelete ? parts.delete : words.archiveLabel}
      mayNot={useMay('RELEASE_PLAN_TEMPLATE_DELETE')}
      act={(reason) => (isDelete ? deleteTemplate(id, reason) : archiveTemplate(id, reason))}
      saved={{
        text: isDelete ? words.deleted(name) : words.wasArchived(name),
        refresh: isDelete ? [keys.releaseTemplates()] : [keys.releaseTemplates(), keys.releaseTemplate(id)],
      }}
      onDone={() => onDone?.()}
      onClose={onClose}
    />
  );
}
