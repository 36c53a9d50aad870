import { useQuery } from '@tanstack/react-query';
import type { Writing } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { usersQuery } from '../../people/people-data.ts';
import { scim as words } from '../../words/en/admin/scim.ts';
import { parts } from '../../words/en/parts.ts';
import { deleteToken, makeToken, REMOVED_MAX, removeUsers, type ScimSettings, saveScim } from './scim-data.ts';

export const SCIM_ACTS = ['create', 'replace', 'on', 'off', 'revoke', 'remove'] as const;
export type ScimAct = (typeof SCIM_ACTS)[number];

const TEXTS = {
  create: [words.createTitle, words.createEffects, words.createLabel, words.tokenMade],
  replace: [words.replaceTitle, words.replaceEffects, words.replaceLabel, words.tokenMade],
  on: [words.onTitle, words.onEffects, words.onLabel, words.wasSwitchedOn],
  off: [words.offTitle, words.offEffects, words.offLabel, words.wasSwitchedOff],
  revoke: [words.revokeTitle, words.revokeEffects, words.revokeLabel, words.revoked],
} as const;

interface ConfirmScimProps {
  readonly act: ScimAct;
  readonly settings: ScimSettings;
  readonly onToken: (token: string) => void;
  readonly onClose: () => void;
}

/** Makes, replaces or deletes the token, switches SCIM, or deletes the users of the provider. */
export function ConfirmScim({ act, settings, onToken, onClose }: ConfirmScimProps) {
  const mayNot = useMay('ADMIN');
  if (act === 'remove') return <RemoveUsers onClose={onClose} />;
  const [title, sentences, label, text] = TEXTS[act];
  const texts = { title, sentences, label, mayNot, onClose, saved: { text, refresh: [keys.signOn('scim')] } };
  if (act === 'create' || act === 'replace')
    return (
      <ConfirmDialog<{ token: string }>
        {...texts}
        danger={act === 'replace'}
        act={makeToken}
        onDone={({ token }) => onToken(token)}
      />
    );
  const send = (reason: string): Writing<unknown> =>
    act === 'revoke' ? deleteToken(reason) : saveScim(settings, { enabled: act === 'on' }, reason);
  return <ConfirmDialog<unknown> {...texts} danger={act !== 'on'} act={send} />;
}

function RemoveUsers({ onClose }: { readonly onClose: () => void }) {
  const { data } = useQuery(usersQuery);
  const count = data?.users.filter(({ scimId }) => scimId !== undefined).length ?? 0;
  return (
    <ConfirmDialog<unknown>
      danger
      title={words.removeTitle}
      sentences={words.removeEffects(count, REMOVED_MAX)}
      typed={words.typed}
      label={parts.delete}
      mayNot={useMay('ADMIN')}
      act={removeUsers}
      saved={{ text: words.removed, refresh: [keys.users] }}
      onClose={onClose}
    />
  );
}
