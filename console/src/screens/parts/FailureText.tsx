import type { Failure } from '../../data/failure.ts';
import { Banner } from '../../kit/Banner.tsx';
import { parts as words } from '../../words/en/parts.ts';

/** Why a write was refused, with each problem that the server names. */
export function FailureText({ failure }: { readonly failure: Failure | null }) {
  if (!failure) return null;
  const messages = failure.status === 412 ? [words.changedMeanwhile] : failure.details.map(({ message }) => message);
  return (
    <Banner tone="bad">
      {failure.status === 412 ? '' : failure.message}
      {messages.filter((message) => message !== failure.message).map((message) => ` ${message}`)}
    </Banner>
  );
}
