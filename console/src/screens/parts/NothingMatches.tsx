import { Button } from '../../kit/Button.tsx';
import { EmptyState } from '../../kit/EmptyState.tsx';
import { parts as words } from '../../words/en/parts.ts';

/** For a list when the filter matches none of its entries. */
export function NothingMatches({ onClear }: { readonly onClear: () => void }) {
  return <EmptyState sentence={words.nothingMatches} action={<Button onClick={onClear}>{words.clearFilter}</Button>} />;
}
