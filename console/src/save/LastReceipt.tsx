import { useState } from 'react';
import { closeReceipt, receipt, showReceipt } from '../data/receipts.ts';
import { undo } from '../data/save.ts';
import { useStore } from '../data/store.ts';
import { ReceiptBar } from '../kit/changes/ReceiptBar.tsx';
import { toast } from '../kit/notices/toast.ts';
import { receiptWords as words } from '../words/en/receipt.ts';
import styles from './LastReceipt.module.css';

/** How far the last save has come, live, with its undo. It stays until it is closed or another save follows. */
export function LastReceipt() {
  const shown = useStore(receipt);
  const [isUndoing, setUndoing] = useState(false);
  if (!shown) return null;
  const { text, revisions, delivery, canUndo } = shown;

  const takeBack = async () => {
    setUndoing(true);
    const answer = await undo(revisions);
    setUndoing(false);
    if (!answer.ok) return toast({ tone: 'bad', text: `${words.notUndone} ${answer.failure.message}` });
    if (answer.revision === null) closeReceipt();
    else showReceipt(words.undone(text), [answer.revision], false);
  };

  return (
    <section className={styles.receipt} aria-label={words.last} title={words.honest}>
      <p className={styles.what}>{text}</p>
      <ReceiptBar
        receipt={
          delivery
            ? {
                revision: delivery.revision,
                followed: delivery.concerned,
                given: delivery.have,
                unknown: delivery.unknown,
                ...(delivery.tookMs ? { medianMs: delivery.tookMs.p50 } : {}),
                ...(delivery.slowest
                  ? { slowest: { name: delivery.slowest.appName, environment: delivery.slowest.environment } }
                  : {}),
                isStalled: delivery.final && delivery.share < 1,
              }
            : undefined
        }
        onUndo={canUndo && !isUndoing ? () => void takeBack() : undefined}
        onDismiss={closeReceipt}
      />
    </section>
  );
}
