import type { ActionSet } from '../../../data/action-sets.ts';
import { keys } from '../../../data/keys.ts';
import { useMay } from '../../../data/may.ts';
import { leave } from '../../../data/query-client.ts';
import { ConfirmDialog } from '../../../parts/ConfirmDialog.tsx';
import { actions as words } from '../../../words/en/actions.ts';
import { parts } from '../../../words/en/parts.ts';
import { useMayNotSave, WRITING } from './ActionSetPanels.tsx';
import { afterActionSet, deleteActionSet, switchActionSet, valuesOf } from './action-data.ts';

export const ACTS = ['on', 'off', 'delete'] as const;
export type Act = (typeof ACTS)[number];

const TEXTS = {
  on: [words.onTitle, words.onEffects, words.onLabel, words.wasSwitchedOn],
  off: [words.offTitle, words.offEffects, words.offLabel, words.wasSwitchedOff],
  delete: [words.deleteTitle, words.deleteEffects, parts.delete, words.deleted],
} as const;

interface ConfirmActProps {
  readonly act: Act;
  readonly set: ActionSet;
  readonly onDeleted?: () => void;
  readonly onClose: () => void;
}

/** Switches an action set, or deletes it. */
export function ConfirmAct({ act, set, onDeleted, onClose }: ConfirmActProps) {
  const [title, sentences, label, text] = TEXTS[act];
  const { project, id, name } = set;
  const isDelete = act === 'delete';
  // To switch one off needs only the right to change settings; to switch it on is like saving it.
  const mayNotChange = useMay(WRITING, project);
  const mayNotSave = useMayNotSave(project, valuesOf(set));
  return (
    <ConfirmDialog<unknown>
      danger={isDelete}
      title={title(name)}
      sentences={sentences}
      label={label}
      mayNot={act === 'on' ? mayNotSave : mayNotChange}
      act={(reason) => (isDelete ? deleteActionSet(set, reason) : switchActionSet(set, act === 'on', reason))}
      saved={{ text: text(name), refresh: isDelete ? [] : afterActionSet(project, id) }}
      onDone={() => isDelete && leave(keys.actionSets(project), onDeleted)}
      onClose={onClose}
    />
  );
}
