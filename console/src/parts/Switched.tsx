import { Pencil, Power, Trash2 } from 'lucide-react';
import type { MayNot } from '../data/may.ts';
import { Button } from '../kit/inputs/Button.tsx';
import type { MenuEntry } from '../kit/overlays/Menu.tsx';
import { parts as words } from '../words/en/parts.ts';

type Act = 'on' | 'off' | 'delete';

/** An object that is switched on and off, such as an integration. */
interface Switched {
  readonly enabled: boolean;
  readonly mayNot: MayNot;
  readonly mayNotDelete: MayNot;
}

export const otherState = (enabled: boolean): Act => (enabled ? 'off' : 'on');
const switchLabel = (enabled: boolean) => (enabled ? words.switchOff : words.switchOn);

/** The buttons of its page. */
export function SwitchedButtons({
  enabled,
  mayNot,
  mayNotDelete,
  onPanel,
}: Switched & { readonly onPanel: (panel: Act | 'edit') => void }) {
  return (
    <>
      <Button icon={<Pencil aria-hidden />} reason={mayNot} onClick={() => onPanel('edit')}>
        {words.edit}
      </Button>
      <Button icon={<Power aria-hidden />} reason={mayNot} onClick={() => onPanel(otherState(enabled))}>
        {switchLabel(enabled)}
      </Button>
      <Button icon={<Trash2 aria-hidden />} reason={mayNotDelete} onClick={() => onPanel('delete')}>
        {words.deleteMenu}
      </Button>
    </>
  );
}

interface RowActs extends Switched {
  readonly onOpen: (panel?: string) => void;
  readonly onAsk: (act: Act) => void;
}

/** The menu of its row. */
export const switchedEntries = ({ enabled, mayNot, mayNotDelete, onOpen, onAsk }: RowActs): MenuEntry[] => [
  { label: words.open, onSelect: () => onOpen() },
  { label: words.editMenu, reason: mayNot, onSelect: () => onOpen('edit') },
  { label: switchLabel(enabled), reason: mayNot, onSelect: () => onAsk(otherState(enabled)) },
  { label: words.deleteMenu, danger: true, reason: mayNotDelete, onSelect: () => onAsk('delete') },
];
