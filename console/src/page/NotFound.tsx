import { Link } from 'wouter';
import { buttonClass } from '../kit/inputs/Button.tsx';
import { EmptyState } from '../kit/notices/EmptyState.tsx';
import { path } from '../paths.ts';
import { shell as words } from '../words/en/shell.ts';

/** Also for what the person may not see: the page does not say which of the two it is. */
export function NotFound() {
  return (
    <EmptyState
      sentence={`${words.notFound} ${words.notFoundHint}`}
      action={
        <Link href={path('features')} className={buttonClass({ kind: 'primary' })}>
          {words.toFlags}
        </Link>
      }
    />
  );
}
