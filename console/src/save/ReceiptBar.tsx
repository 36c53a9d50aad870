import { CircleCheck, Undo2, X } from 'lucide-react';
import { useState } from 'react';
import { closeReceipt, type Delivery, receipt, showReceipt } from '../data/receipts.ts';
import { undo } from '../data/save.ts';
import { useStore } from '../data/store.ts';
import { Button } from '../kit/Button.tsx';
import { IconButton } from '../kit/IconButton.tsx';
import { toast } from '../kit/toast.ts';
import { receiptWords as words } from '../words/en/receipt.ts';
import styles from './ReceiptBar.module.css';

function partsOf(delivery: Delivery): string[] {
  const { concerned, share, tookMs, slowest, unknown } = delivery;
  if (concerned === 0) return [words.noSdks];
  const parts = [words.share(share, concerned)];
  if (share === 1 && tookMs.last !== null) parts.push(words.last(tookMs.last));
  else if (tookMs.p50 !== null) parts.push(words.p50(tookMs.p50));
  if (slowest) parts.push(share < 1 ? words.lagging(slowest.appName, slowest.environment) : words.slowest(slowest.appName, slowest.environment));
  if (unknown > 0) parts.push(words.unknown(unknown));
  return parts;
}

/** How far the last save has come, live, with its undo. It stays until it is closed or another save follows. */
export function ReceiptBar() {
  const shown = useStore(receipt);
  const [isUndoing, setUndoing] = useState(false);
  if (!shown) return null;
  const { text, revisions, delivery, canUndo } = shown;
  const last = revisions.at(-1) ?? 0;

  const takeBack = async () => {
    setUndoing(true);
    const answer = await undo(revisions);
    setUndoing(false);
    if (answer.ok) showReceipt(words.undone(answer.revision), answer.revision === null ? [] : [answer.revision], false);
    else toast({ tone: 'bad', text: `${words.notUndone} ${answer.failure.message}` });
    if (answer.ok && answer.revision === null) closeReceipt();
  };

  const share = delivery && delivery.concerned > 0 ? delivery.share : null;
  return (
    <section className={styles.bar} aria-label={words.label}>
      <CircleCheck size={16} aria-hidden className={styles.done} />
      <p className={styles.text}>
        <span className={styles.what}>{text}</span> <span className={styles.revision}>{words.revision(last)}</span>
      </p>
      <p className={styles.delivery} role="status" title={words.honest}>
        {share !== null && <meter min={0} max={1} value={share} className={styles.meter} aria-label={words.share(share, delivery?.concerned ?? 0)} />}
        {delivery ? partsOf(delivery).join(' · ') : words.waiting}
      </p>
      {canUndo && (
        <Button size="small" icon={<Undo2 aria-hidden />} pending={isUndoing} onClick={() => void takeBack()}>
          {words.undo}
        </Button>
      )}
      <IconButton size="small" icon={<X aria-hidden />} label={words.close} onClick={closeReceipt} />
    </section>
  );
}
