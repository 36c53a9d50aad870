import { useQueryClient } from '@tanstack/react-query';
import { Archive, Copy, Ellipsis, Star } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Written } from '../../data/client.ts';
import { archiveFlag, reviveFlag, setFavorite, setStale } from '../../data/flag-actions.ts';
import { flagRows } from '../../data/flag-rows.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { showReceipt } from '../../data/receipts.ts';
import { useUrlState } from '../../data/url-state.ts';
import type { Feature } from '../../domain/model.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { TextArea } from '../../kit/inputs/TextInput.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { toast } from '../../kit/notices/toast.ts';
import { Dialog } from '../../kit/overlays/Dialog.tsx';
import { Menu } from '../../kit/overlays/Menu.tsx';
import { path } from '../../paths.ts';
import { feature as words } from '../../words/en/feature.ts';
import { archive as archiveWords } from '../../words/en/feature-more.ts';
import styles from './Feature.module.css';

function ArchiveDialog({ flag, onClose }: { readonly flag: Feature; readonly onClose: () => void }) {
  const [reason, setReason] = useState('');
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const isNeeded = flag.children.length > 0;
  const run = async () => {
    setPending(true);
    const answer = await archiveFlag(flag, reason);
    setPending(false);
    if (!answer.ok) return setError(answer.failure.message);
    if (answer.revision !== null) showReceipt(archiveWords.done(flag.name), [answer.revision]);
    onClose();
  };
  return (
    <Dialog
      open
      size="small"
      onClose={onClose}
      hasDraft={reason !== ''}
      title={archiveWords.title(flag.name)}
      footer={
        <>
          <Button onClick={onClose}>{archiveWords.cancel}</Button>
          <Button
            kind="danger"
            pending={isPending}
            reason={isNeeded ? archiveWords.blocked(flag.children.join(', ')) : undefined}
            onClick={() => void run()}
          >
            {archiveWords.run}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        {isNeeded ? (
          <Banner tone="warn">
            {archiveWords.blocked('')}{' '}
            {flag.children.map((child) => (
              <Link
                key={child}
                className={styles.link}
                href={path('feature', { projectId: flag.project, featureId: child })}
              >
                {child}{' '}
              </Link>
            ))}
          </Banner>
        ) : (
          <p>{archiveWords.text}</p>
        )}
        <Field label={archiveWords.reason}>
          <TextArea rows={2} maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
        </Field>
        {error && <Banner tone="bad">{error}</Banner>}
      </div>
    </Dialog>
  );
}

/** What concerns the flag as a whole. */
export function FeatureActions({ flag }: { readonly flag: Feature }) {
  const [isArchiving, setArchiving] = useState(false);
  const [, setPanel] = useUrlState('panel');
  const client = useQueryClient();
  const mayNotUpdate = useMay('UPDATE_FEATURE', flag.project);
  const mayNotCreate = useMay('CREATE_FEATURE', flag.project);
  const mayNotArchive = useMay('DELETE_FEATURE', flag.project);
  const after = async (call: Promise<Written<unknown>>, text?: string) => {
    const answer = await call;
    if (!answer.ok) return toast({ tone: 'bad', text: answer.failure.message });
    if (text !== undefined && answer.revision !== null) showReceipt(text, [answer.revision]);
  };
  const favorite = async () => {
    await after(setFavorite(flag, !flag.favorite));
    flagRows.patch(flag.name, { favorite: !flag.favorite });
    // Favorites are personal, so the stream of changes does not name them.
    await client.invalidateQueries({ queryKey: keys.feature(flag.project, flag.name) });
  };
  return (
    <>
      <IconButton
        icon={<Star aria-hidden fill={flag.favorite ? 'currentColor' : 'none'} />}
        label={flag.favorite ? words.unfavorite : words.favorite}
        aria-pressed={flag.favorite}
        onClick={() => void favorite()}
      />
      {flag.archived ? (
        <Button reason={mayNotUpdate} onClick={() => void after(reviveFlag(flag), archiveWords.revived(flag.name))}>
          {words.revive}
        </Button>
      ) : (
        <Menu
          label={words.actions}
          icon={<Ellipsis aria-hidden />}
          kind="secondary"
          align="end"
          entries={[
            { label: words.clone, icon: <Copy aria-hidden />, reason: mayNotCreate, onSelect: () => setPanel('clone') },
            {
              label: flag.stale ? words.markActive : words.markStale,
              reason: mayNotUpdate,
              onSelect: () =>
                void after(
                  setStale(flag, !flag.stale),
                  `${flag.name}: ${flag.stale ? words.markActive : words.markStale}`,
                ),
            },
            'line',
            {
              label: words.archive,
              icon: <Archive aria-hidden />,
              danger: true,
              reason: mayNotArchive,
              onSelect: () => setArchiving(true),
            },
          ]}
        />
      )}
      {isArchiving && <ArchiveDialog flag={flag} onClose={() => setArchiving(false)} />}
    </>
  );
}
