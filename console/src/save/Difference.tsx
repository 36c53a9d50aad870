import { type Change, Diff } from '../kit/changes/Diff.tsx';
import type { Sentence } from '../words/en/differences.ts';
import { Words } from './Words.tsx';

const short = (value: unknown): string | undefined =>
  value === undefined || value === null || typeof value === 'object' ? undefined : String(value);

function changeOf({ text, before, after }: Sentence): Change {
  const kind =
    before === undefined && after !== undefined
      ? 'added'
      : before !== undefined && after === undefined
        ? 'removed'
        : 'changed';
  const isLong = (value: string | undefined) => value !== undefined && value.length > 40;
  const [was, now] = [short(before), short(after)];
  const values =
    isLong(was) || isLong(now)
      ? { ...(was === undefined ? {} : { before: was }), ...(now === undefined ? {} : { after: now }) }
      : {};
  return { kind, text: <Words text={text} />, ...values };
}

interface DifferenceProps {
  readonly title: React.ReactNode;
  readonly sentences: readonly Sentence[];
  readonly production?: boolean;
  readonly json?: { readonly before: unknown; readonly after: unknown };
}

/** Changes in sentences. The exact values are there on demand. */
export function Difference({ title, sentences, production = false, json }: DifferenceProps) {
  return (
    <Diff groups={[{ key: 'all', title, production, changes: sentences.map(changeOf) }]} {...(json ? { json } : {})} />
  );
}
