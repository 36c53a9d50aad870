import type { ProductionNames } from '../data/settings.ts';
import type { HistoryChange } from '../domain/model.ts';
import type { Change, DiffGroup } from '../kit/changes/Diff.tsx';
import { Words } from '../save/Words.tsx';
import { existenceWords, fieldWords, objectName } from '../words/en/history.ts';
import type { SegmentNames } from '../words/en/rule-sentences.ts';

const text = (value: unknown) =>
  value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

const isNestedValue = (value: unknown) => typeof value === 'object' && value !== null;

function kindOf(before: unknown, after: unknown): Change['kind'] {
  if (before === undefined && after !== undefined) return 'added';
  return after === undefined && before !== undefined ? 'removed' : 'changed';
}

function changesOf(change: HistoryChange, segments: SegmentNames, hasValues: boolean): Change[] {
  const [whole] = change.fields;
  const isWhole = change.kind !== 'changed' && change.environment === null && whole?.path === '';
  if (isWhole && !hasValues) {
    return [{ kind: kindOf(whole.before, whole.after), text: existenceWords(change) }];
  }
  return change.fields
    .flatMap((field) => fieldWords(field, segments))
    .map(({ text: sentence, before, after }) => {
      const isNested = hasValues && (isNestedValue(before) || isNestedValue(after));
      return {
        kind: kindOf(before, after),
        text: <Words text={sentence} />,
        ...(isNested && before !== undefined ? { before: text(before) } : {}),
        ...(isNested && after !== undefined ? { after: text(after) } : {}),
      };
    });
}

interface Shown {
  /** The object that the page is about is not named. */
  readonly about?: string | undefined;
  /** The names of environments of production. */
  readonly production?: ProductionNames;
  /** Whether nested values are shown below the sentences. */
  readonly hasValues?: boolean;
}

/** One group for each object, or environment of a flag, that changed. */
export function changeGroups(
  changes: readonly HistoryChange[],
  segments: SegmentNames,
  { about, production, hasValues = true }: Shown = {},
): DiffGroup[] {
  return changes.map((change) => ({
    key: `${change.type} ${change.id} ${change.environment}`,
    title:
      [change.id === about ? '' : objectName(change, segments), change.environment ?? ''].filter(Boolean).join(' · ') ||
      change.id,
    production: change.environment !== null && (production?.has(change.environment) ?? false),
    changes: changesOf(change, segments, hasValues),
  }));
}
