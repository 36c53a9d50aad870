import { useQuery } from '@tanstack/react-query';
import { api, read } from '../data/client.ts';
import { inTurn } from '../data/in-turn.ts';
import { keys } from '../data/keys.ts';
import type { Receipt } from '../data/receipts.ts';
import { Banner } from '../kit/notices/Banner.tsx';
import { Skeleton } from '../kit/notices/Skeleton.tsx';
import { UndoForm } from './Undo.tsx';
import styles from './UndoInPlace.module.css';

/** Commits of one save that are read. Of larger saves, the newest are. */
const COMMITS_MAX = 50;

interface UndoInPlaceProps extends Pick<Receipt, 'revisions' | 'text'> {
  readonly onClose: () => void;
}

/** The form of each undo. It is above the bar: a second click of a double click must not meet its buttons. */
export function UndoInPlace({ revisions, text, onClose }: UndoInPlaceProps) {
  const [oldest = 0, newest = oldest] = [revisions[0], revisions.at(-1)];
  const { data, error } = useQuery({
    queryKey: keys.own('commits', revisions),
    queryFn: async () => {
      const query = { before: newest + 1, limit: Math.min(newest - oldest + 1, COMMITS_MAX) };
      const { entries } = await inTurn(() => read(api.GET('/api/admin/history', { params: { query } })));
      return entries.filter(({ revision }) => revisions.includes(revision));
    },
  });
  return (
    <div className={styles.undo}>
      {error && <Banner tone="bad">{error.message}</Banner>}
      {!data && !error && <Skeleton shape="rows" rows={2} />}
      {data && <UndoForm revisions={revisions} entries={data} what={text} onClose={onClose} />}
    </div>
  );
}
