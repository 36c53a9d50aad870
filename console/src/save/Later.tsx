import { laterTimes } from '../domain/later.ts';
import { Menu } from '../kit/overlays/Menu.tsx';
import { save as words } from '../words/en/save.ts';

interface LaterProps {
  readonly blocked: string | undefined;
  readonly onChoose: (at: Date) => void;
}

/** Offers times at which the change is made instead of now. */
export function Later({ blocked, onChoose }: LaterProps) {
  const entries = laterTimes(new Date()).map(({ name, at }) => ({
    label: words.laterTimes[name](at),
    reason: blocked,
    onSelect: () => onChoose(at),
  }));
  return <Menu label={words.later} align="end" entries={entries} />;
}
