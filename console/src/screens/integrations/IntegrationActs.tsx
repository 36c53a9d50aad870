import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { leave } from '../../data/query-client.ts';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { integrations as words } from '../../words/en/admin/integrations.ts';
import { parts } from '../../words/en/parts.ts';
import {
  deleteIntegration,
  type Integration,
  nameOf,
  type Provider,
  saveIntegration,
  valuesOf,
} from './integration-data.ts';

export const ACTS = ['on', 'off', 'resume', 'delete'] as const;
export type Act = (typeof ACTS)[number];

const TEXTS = {
  on: [words.onTitle, [words.onEffect], words.onLabel, words.wasSwitchedOn],
  off: [words.offTitle, [words.offEffect], words.offLabel, words.wasSwitchedOff],
  resume: [words.resumeTitle, [words.resumeEffect], words.resumeLabel, words.resumed],
  delete: [words.deleteTitle, words.deleteEffects, parts.delete, words.deleted],
} as const;

interface ConfirmActProps {
  readonly act: Act;
  readonly integration: Integration;
  readonly provider: Provider;
  readonly onDeleted?: () => void;
  readonly onClose: () => void;
}

/** Switches an integration, continues one whose attempts fail, or deletes it. */
export function ConfirmAct({ act, integration, provider, onDeleted, onClose }: ConfirmActProps) {
  const { id } = integration;
  const name = nameOf(integration, [provider]);
  const [title, sentences, label, text] = TEXTS[act];
  const base = valuesOf(integration);
  // A change without a difference ends the pause after a failure.
  const values = act === 'on' || act === 'off' ? { ...base, enabled: act === 'on' } : base;
  return (
    <ConfirmDialog<unknown>
      danger={act === 'delete'}
      title={title(name)}
      sentences={sentences}
      label={label}
      mayNot={useMay(act === 'delete' ? 'DELETE_ADDON' : 'UPDATE_ADDON')}
      act={(reason) =>
        act === 'delete' ? deleteIntegration(id, reason) : saveIntegration(id, provider, base, values, reason)
      }
      saved={{
        text: text(name),
        refresh: act === 'delete' ? [] : [keys.integrations, keys.integration(id)],
      }}
      onDone={() => act === 'delete' && leave(keys.integrations, onDeleted)}
      onClose={onClose}
    />
  );
}
