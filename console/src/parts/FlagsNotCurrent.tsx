import { flagRows, useFlagRows } from '../data/flag-rows.ts';
import { momentText } from '../kit/texts/time-texts.ts';
import { features as words } from '../words/en/flags/features.ts';
import { Failed } from './Failed.tsx';

/** Why the rows of all flags are not current, and from when they are. */
export function FlagsNotCurrent() {
  const { failure, isComplete, readMs } = useFlagRows();
  if (!failure) return null;
  const { message } = failure;
  return (
    <Failed
      message={isComplete ? words.notCurrent(message, momentText(new Date(readMs))) : message}
      onAgain={() => void flagRows.reload()}
    />
  );
}
