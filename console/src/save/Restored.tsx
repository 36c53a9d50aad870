import { forget, useRestored } from '../data/kept.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { TimeText } from '../kit/texts/TimeText.tsx';
import { save as words } from '../words/en/save.ts';

/** Of a bar with unsaved changes: when they were typed, if the page began with them. */
export function RestoredText({ form }: { readonly form: string }) {
  const at = useRestored(form);
  return (
    at !== null && (
      <span>
        · {words.typed} <TimeText at={at} />
      </span>
    )
  );
}

/** Says that a form began with what was typed earlier, and when that was. */
export function Restored({ form }: { readonly form: string }) {
  const at = useRestored(form);
  if (at === null) return null;
  return (
    <Banner
      action={
        <Button size="small" onClick={() => forget(form)}>
          {words.discard}
        </Button>
      }
    >
      {words.restored} <TimeText at={at} />
    </Banner>
  );
}
