import { Button } from '../kit/inputs/Button.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { shell } from '../words/en/shell.ts';

/** What could not be read, and the way to read it again. */
export function Failed({ message, onAgain }: { readonly message: string; readonly onAgain: () => void }) {
  return (
    <Banner
      tone="bad"
      action={
        <Button size="small" onClick={onAgain}>
          {shell.again}
        </Button>
      }
    >
      {message}
    </Banner>
  );
}
