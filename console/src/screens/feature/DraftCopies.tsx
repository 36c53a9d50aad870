import { draftLink } from '../../data/draft-link.ts';
import { requestSettings, saveSettings } from '../../data/save.ts';
import type { Sending } from '../../data/sending.ts';
import { CopySave } from '../../save/CopySave.tsx';
import { useEnvironmentInfo } from '../../save/use-env-info.ts';
import type { EnvironmentDraft } from '../../strategies/use-environment-draft.ts';
import { save as words } from '../../words/en/save.ts';

interface DraftCopiesProps {
  readonly env: EnvironmentDraft;
  /** What the panel edits, as the address names it. */
  readonly edit: string;
}

/** What saving the draft of an environment would send, and the address of a panel that edits it. */
export function DraftCopies({ env, edit }: DraftCopiesProps) {
  const info = useEnvironmentInfo(env.target);
  const { target, draft, saved } = env;
  const { base, mine } = draft ?? { base: saved, mine: saved };
  const saving = (): Sending<unknown> =>
    info.isReviewed ? requestSettings(target, base, mine, { reason: '' }) : saveSettings(target, base, mine, '');
  const unsaved = draft ? undefined : words.nothingToSave;
  return (
    <CopySave
      saving={saving}
      blocked={unsaved ?? (draft && draft.conflicts.length > 0 ? words.conflicts : undefined)}
      link={draft ? () => draftLink(target, draft, edit) : undefined}
    />
  );
}
