import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { localTime } from '../domain/local-time.ts';
import type { HistoryEntry } from '../domain/model.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { IconButton } from '../kit/inputs/IconButton.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { Skeleton } from '../kit/notices/Skeleton.tsx';
import { TimeText } from '../kit/texts/TimeText.tsx';
import { useSegmentNames } from '../save/SettingsRule.tsx';
import { plain, Words } from '../save/Words.tsx';
import { entryWords } from '../words/en/history.ts';
import { past as words } from '../words/en/past.ts';
import { isRevision, positionOf } from './moment.ts';
import { type Scope, useCommits, useTimeOf } from './past-data.ts';
import { SinceThen } from './SinceThen.tsx';
import styles from './TimeMachine.module.css';

interface TimeMachineProps {
  readonly scope: Scope;
  /** A revision or a time, never empty. */
  readonly at: string;
  readonly onMove: (at: string) => void;
  /** The state at the moment. */
  readonly children: ReactNode;
}

interface SliderProps {
  readonly entries: readonly HistoryEntry[];
  readonly position: number;
  readonly about: string;
  readonly onMove: (at: string) => void;
  readonly onOlder: (() => void) | undefined;
  readonly isReading: boolean;
}

/** Calls when the slider is released, or moved by a key. React's `onChange` is called for each step of a drag. */
function useRelease(input: RefObject<HTMLInputElement | null>, onRelease: (value: number) => void): void {
  const latest = useRef(onRelease);
  latest.current = onRelease;
  useEffect(() => {
    const element = input.current;
    const release = () => latest.current(Number(element?.value));
    element?.addEventListener('change', release);
    return () => element?.removeEventListener('change', release);
  }, [input]);
}

/**
 * One step for each commit, and one before the first. While the slider is dragged, only the sentence follows; the state is read when it is released.
 */
function Slider({ entries, position, about, onMove, onOlder, isReading }: SliderProps) {
  const [dragged, setDragged] = useState<number | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const segments = useSegmentNames();
  const shown = dragged ?? position;
  const entry = entries[shown];
  const to = (index: number) => {
    const first = entries[0];
    if (index >= 0) onMove(String(entries[index]?.revision));
    else if (first) onMove(String(first.revision - 1));
  };
  useRelease(input, (index) => {
    setDragged(null);
    to(index);
  });
  const sentence = entry ? entryWords(entry, about, segments) : words.before;
  // Before the oldest recorded commit there may be no recorded state.
  const lowest = onOlder ? 0 : -1;
  return (
    <>
      <div className={styles.line}>
        <IconButton
          icon={<ChevronLeft aria-hidden />}
          label={words.earlier}
          reason={shown <= lowest ? words.isFirst : undefined}
          onClick={() => to(position - 1)}
        />
        <input
          ref={input}
          type="range"
          className={styles.slider}
          aria-label={words.slider}
          aria-valuetext={`${words.position(shown + 1, entries.length)}: ${plain(sentence)}`}
          min={lowest}
          max={entries.length - 1}
          value={Math.max(shown, lowest)}
          onChange={({ target }) => setDragged(Number(target.value))}
        />
        <IconButton
          icon={<ChevronRight aria-hidden />}
          label={words.later}
          reason={shown >= entries.length - 1 ? words.isLast : undefined}
          onClick={() => to(position + 1)}
        />
      </div>
      <p className={styles.state}>
        {entry && <span className={styles.quiet}>{words.afterwards} </span>}
        <Words text={sentence} />
        {entry && (
          <span className={styles.quiet}>
            {' '}
            · {entry.author.name} · <TimeText at={entry.at} /> · <code>{words.revision(String(entry.revision))}</code>
          </span>
        )}
      </p>
      {onOlder && (
        <div>
          <Button size="small" pending={isReading} onClick={onOlder}>
            {words.older}
          </Button>
        </div>
      )}
    </>
  );
}

/** Another moment than after a recorded change. */
function ExactTime({ time, onMove }: { readonly time: string | undefined; readonly onMove: (at: string) => void }) {
  const [text, setText] = useState<string | null>(null);
  const shown = text ?? localTime(time);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const date = new Date(shown);
    if (Number.isNaN(date.getTime())) return;
    setText(null);
    onMove(date.toISOString());
  };
  return (
    <form className={styles.exact} onSubmit={submit}>
      <Field label={words.exact}>
        <TextInput type="datetime-local" step={1} value={shown} onChange={({ target }) => setText(target.value)} />
      </Field>
      <Button type="submit">{words.show}</Button>
    </form>
  );
}

/** A moment of the past: how to choose it, the state then, and what is different now. */
export function TimeMachine({ scope, at, onMove, children }: TimeMachineProps) {
  const { entries, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useCommits(scope);
  const position = entries ? positionOf(at, entries) : -1;
  const entry = entries?.[position];
  const time = useTimeOf(at, entry);
  return (
    <div className={styles.machine}>
      <Banner
        tone="warn"
        action={
          <Button size="small" onClick={() => onMove('')}>
            {words.back}
          </Button>
        }
      >
        <strong>
          {words.asOf} {time && <TimeText at={time} exact />} {isRevision(at) && <code>{words.revision(at)}</code>}
        </strong>
        {'. '}
        {words.readOnly}
      </Banner>
      <section className={styles.control} aria-label={words.title}>
        {error && <Banner tone="bad">{error.message}</Banner>}
        {!entries && !error && <Skeleton shape="rows" rows={1} />}
        {entries?.length === 0 && <p>{words.none}</p>}
        {entries && entries.length > 0 && (
          <Slider
            entries={entries}
            position={position}
            about={scope.id}
            onMove={onMove}
            onOlder={hasNextPage ? () => void fetchNextPage() : undefined}
            isReading={isFetchingNextPage}
          />
        )}
        <ExactTime key={at} time={time} onMove={onMove} />
      </section>
      <SinceThen scope={scope} at={at} />
      {children}
    </div>
  );
}
