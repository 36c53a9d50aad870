import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { leave } from '../../data/query-client.ts';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { signals as words } from '../../words/en/admin/signals.ts';
import { parts } from '../../words/en/parts.ts';
import { afterEndpoint, deleteEndpoint, type SignalEndpoint, switchEndpoint } from './signal-data.ts';

export const ACTS = ['on', 'off', 'delete'] as const;
export type Act = (typeof ACTS)[number];

const TEXTS = {
  on: [words.onTitle, words.onEffects, words.onLabel, words.wasSwitchedOn],
  off: [words.offTitle, words.offEffects, words.offLabel, words.wasSwitchedOff],
  delete: [words.deleteTitle, words.deleteEffects, parts.delete, words.deleted],
} as const;

interface ConfirmActProps {
  readonly act: Act;
  readonly endpoint: SignalEndpoint;
  readonly onDeleted?: () => void;
  readonly onClose: () => void;
}

/** Switches an endpoint, or deletes it. */
export function ConfirmAct({ act, endpoint: { id, name }, onDeleted, onClose }: ConfirmActProps) {
  const [title, sentences, label, text] = TEXTS[act];
  const isDelete = act === 'delete';
  return (
    <ConfirmDialog<unknown>
      danger={isDelete}
      title={title(name)}
      sentences={sentences}
      label={label}
      mayNot={useMay('ADMIN')}
      act={(reason) => (isDelete ? deleteEndpoint(id, reason) : switchEndpoint(id, act === 'on', reason))}
      saved={{ text: text(name), refresh: isDelete ? [] : afterEndpoint(id) }}
      onDone={() => isDelete && leave(keys.signalEndpoints, onDeleted)}
      onClose={onClose}
    />
  );
}
