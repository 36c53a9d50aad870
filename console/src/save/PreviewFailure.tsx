import { Failure } from '../data/failure.ts';
import { refusedPlace, type TriedContexts } from '../domain/tried-contexts.ts';
import { Banner } from '../kit/notices/Banner.tsx';
import { save as words } from '../words/en/save.ts';

interface PreviewFailureProps {
  readonly failure: Error;
  /** Those that were sent. */
  readonly contexts: TriedContexts;
  /** Stands before the reason. */
  readonly lead?: string;
}

/** Why a change was not tried. A refused context is named by its place in the pasted text. */
export function PreviewFailure({ failure, contexts, lead }: PreviewFailureProps) {
  const detail = failure instanceof Failure ? failure.details[0] : undefined;
  const place = refusedPlace(contexts, detail?.path);
  return (
    <Banner tone="warn">
      {lead && `${lead} `}
      {place && `${words.place(place)}: `}
      {(place && detail?.message) ?? failure.message}
    </Banner>
  );
}
