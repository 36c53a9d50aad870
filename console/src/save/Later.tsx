import { type KeyboardEvent, type RefObject, useRef, useState } from 'react';
import { laterTimes } from '../domain/later.ts';
import { localMinute } from '../domain/local-time.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { Menu } from '../kit/overlays/Menu.tsx';
import { save as words } from '../words/en/save.ts';
import styles from './Save.module.css';

interface LaterProps {
  readonly blocked: string | undefined;
  /** Something is saved: what is typed here stays, and waits. */
  readonly isPending: boolean;
  readonly onChoose: (at: Date) => void;
}

/** Any date and time, in the zone of the browser. */
function AnyTime({
  blocked,
  isPending,
  onChoose,
  field,
}: LaterProps & { readonly field: RefObject<HTMLInputElement | null> }) {
  const [text, setText] = useState(() =>
    localMinute(
      laterTimes(new Date())
        .find(({ name }) => name === 'tomorrow')
        ?.at.toISOString(),
    ),
  );
  const at = new Date(text);
  const problem = blocked ?? (at.getTime() > Date.now() ? undefined : words.notLater);
  // Enter in another field saves now: here it saves at the time.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (problem === undefined && !isPending) onChoose(at);
  };
  return (
    <span className={styles.anyTime}>
      <TextInput
        ref={field}
        type="datetime-local"
        aria-label={words.laterAt}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <Button reason={problem} pending={isPending} onClick={() => onChoose(at)}>
        {words.saveThen}
      </Button>
    </span>
  );
}

/** Offers times at which the change is made instead of now, and any other time. */
export function Later({ blocked, isPending, onChoose }: LaterProps) {
  const [isAny, setAny] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const times = laterTimes(new Date()).map(({ name, at }) => ({
    label: words.laterTimes[name](at),
    onSelect: () => onChoose(at),
  }));
  const any = { label: words.anyTime, onSelect: () => setAny(true) };
  return (
    <>
      {isAny && <AnyTime blocked={blocked} isPending={isPending} onChoose={onChoose} field={field} />}
      {blocked === undefined && !isPending ? (
        <Menu label={words.later} align="end" focusAfter={field} entries={[...times, 'line', any]} />
      ) : (
        <Button reason={blocked} pending={isPending}>
          {words.later}
        </Button>
      )}
    </>
  );
}
