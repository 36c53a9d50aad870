import { Button } from '../kit/inputs/Button.tsx';
import { EmptyState } from '../kit/notices/EmptyState.tsx';
import { parts as words } from '../words/en/parts.ts';

/** For a list when the filter matches none of its entries. */
export function NothingMatches({ onClear }: { readonly onClear: () => void }) {
  return <EmptyState sentence={words.nothingMatches} action={<Button onClick={onClear}>{words.clearFilter}</Button>} />;
}
