import type { Failure } from '../data/failure.ts';
import { Banner } from '../kit/notices/Banner.tsx';
import { parts as words } from '../words/en/parts.ts';
import { save as saveWords } from '../words/en/save.ts';

interface FailureTextProps {
  readonly failure: Failure | null;
  /** What a 409 means here, before the words of the server. */
  readonly conflict?: string | undefined;
}

/** Why a write was refused, with each problem that the server names. */
export function FailureText({ failure, conflict }: FailureTextProps) {
  if (!failure) return null;
  const messages = failure.status === 412 ? [words.changedMeanwhile] : failure.details.map(({ message }) => message);
  return (
    <Banner tone="bad">
      {failure.status === 409 && conflict && `${conflict} `}
      {failure.status === 412 ? '' : failure.message}
      {messages.filter((message) => message !== failure.message).map((message) => ` ${message}`)}
      {failure.isPartly && ` ${saveWords.partly}`}
    </Banner>
  );
}
