import { Archive, Copy, Ellipsis, ListFilter, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Diff } from '../../kit/changes/Diff.tsx';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import { Dialog } from '../../kit/overlays/Dialog.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { Menu, type MenuEntry } from '../../kit/overlays/Menu.tsx';
import { Popover } from '../../kit/overlays/Popover.tsx';
import styles from './KitPage.module.css';
import { Specimen, State } from './Specimen.tsx';

const nothing = () => undefined;

const ENTRIES: readonly MenuEntry[] = [
  { group: 'Flag' },
  { label: 'Edit', icon: <Pencil aria-hidden />, keys: 'e', onSelect: nothing },
  { label: 'Clone', icon: <Copy aria-hidden />, onSelect: nothing },
  'line',
  { label: 'Archive', icon: <Archive aria-hidden />, reason: 'old-cart depends on it', onSelect: nothing },
  { label: 'Delete', icon: <Trash2 aria-hidden />, danger: true, onSelect: nothing },
];

export function Overlays() {
  const [isStale, setStale] = useState(true);
  return (
    <section className={styles.group}>
      <h2 className={styles.heading}>Overlays</h2>
      <Specimen name="Menu">
        <State of="from an icon">
          <Menu label="More actions" icon={<Ellipsis aria-hidden />} entries={ENTRIES} />
        </State>
        <State of="from a button, with checks">
          <Menu
            label="Columns"
            entries={[
              { label: 'Stale', checked: isStale, onChange: setStale },
              { label: 'Last seen', checked: false, onChange: nothing },
            ]}
          />
        </State>
      </Specimen>
      <Specimen name="Popover">
        <State of="a filter">
          <Popover label="Filter" title="Filter flags" icon={<ListFilter aria-hidden />}>
            <Field label="Tag">
              <TextInput mono placeholder="team:payments" />
            </Field>
            <Checkbox checked={isStale} onChange={setStale} label="Stale only" />
          </Popover>
        </State>
      </Specimen>
      <DialogSpecimen />
      <InspectorSpecimen />
    </section>
  );
}

function DialogSpecimen() {
  const [open, setOpen] = useState<'plain' | 'production'>();
  const close = () => setOpen(undefined);
  return (
    <Specimen name="Dialog">
      <State of="plain">
        <Button onClick={() => setOpen('plain')}>Open a dialog</Button>
      </State>
      <State of="production">
        <Button onClick={() => setOpen('production')}>Review a change</Button>
      </State>
      <Dialog
        open={open === 'plain'}
        onClose={close}
        title="Clone new-checkout"
        description="The clone has the same strategies, and is off in every environment."
        size="small"
        footer={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button kind="primary" onClick={close}>
              Clone
            </Button>
          </>
        }
      >
        <Field label="Name">
          <TextInput mono defaultValue="new-checkout-2" />
        </Field>
      </Dialog>
      <Dialog
        open={open === 'production'}
        onClose={close}
        production
        hasDraft
        title={
          <>
            Save to <EnvironmentMark name="live" production />
          </>
        }
        footer={
          <>
            <Button onClick={close}>Go on editing</Button>
            <Button kind="production" onClick={close}>
              Save to production
            </Button>
          </>
        }
      >
        <Diff
          groups={[
            {
              key: 'live',
              title: <EnvironmentMark name="live" production />,
              production: true,
              changes: [{ kind: 'changed', text: 'The rollout of strategy 1 changes', before: '10 %', after: '25 %' }],
            },
          ]}
        />
        <Field label="Reason" hint="It is kept in the history">
          <TextArea />
        </Field>
      </Dialog>
    </Specimen>
  );
}

function InspectorSpecimen() {
  const [isOpen, setOpen] = useState(false);
  const [stickiness, setStickiness] = useState<string | null>('userId');
  const close = () => setOpen(false);
  return (
    <Specimen name="Inspector">
      <State of="production">
        <Button onClick={() => setOpen(true)}>Open the inspector</Button>
      </State>
      {isOpen && (
        <Inspector
          title={
            <>
              Gradual rollout <EnvironmentMark name="production" production protected />
            </>
          }
          production
          onClose={close}
          footer={
            <>
              <Button kind="quiet" onClick={close}>
                Cancel
              </Button>
              <Button kind="primary" onClick={close}>
                Add to the draft
              </Button>
            </>
          }
        >
          <Field label="Percentage" hint="25 % by userId">
            <TextInput defaultValue="25" trailing="%" />
          </Field>
          <Field label="Stickiness">
            <Select
              options={['userId', 'sessionId', 'random'].map((value) => ({ value, label: value }))}
              value={stickiness}
              onChange={setStickiness}
              mono
            />
          </Field>
        </Inspector>
      )}
    </Specimen>
  );
}
