import { useEffect } from 'react';
import { api } from '../../data/client.ts';
import { session } from '../../data/session.ts';
import { useStore } from '../../data/store.ts';
import { Dialog } from '../../kit/overlays/Dialog.tsx';
import { signOn as words } from '../../words/en/shell.ts';
import { SignOnForm } from './SignOnForm.tsx';

/** Sign-on over the page: what is being edited below it stays. Nothing else can be done without a session, so it cannot be closed. */
export function ExpiredSession({ onSignedOn }: { readonly onSignedOn: () => void }) {
  const isExpired = useStore(session) === 'expired';
  useEffect(() => {
    if (!isExpired) return;
    // Another window may have signed on: this one notices when it is looked at again.
    const ask = async () => {
      const { response } = await api.GET('/api/admin/user');
      if (response.ok) onSignedOn();
    };
    const onFocus = () => void ask().catch(() => undefined);
    window.addEventListener('focus', onFocus);
    return () => window.removeEventListener('focus', onFocus);
  }, [isExpired, onSignedOn]);
  return (
    <Dialog
      open={isExpired}
      onClose={() => undefined}
      title={words.expiredTitle}
      description={words.expired}
      size="small"
      hasDraft
    >
      {isExpired && <SignOnForm onSignedOn={onSignedOn} keepPage />}
    </Dialog>
  );
}
