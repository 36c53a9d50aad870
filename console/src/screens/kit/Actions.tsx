import { Copy, Ellipsis, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../kit/inputs/Button.tsx';
import { CopyButton } from '../../kit/inputs/CopyButton.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { Tabs } from '../../kit/lists/Tabs.tsx';
import { Tooltip } from '../../kit/overlays/Tooltip.tsx';
import { Kbd } from '../../kit/texts/Kbd.tsx';
import styles from './KitPage.module.css';
import { Specimen, State } from './Specimen.tsx';

const VIEWS = ['Overview', 'Delivery', 'History'] as const;
type View = (typeof VIEWS)[number];

export function Actions() {
  return (
    <section className={styles.group}>
      <h2 className={styles.heading}>Actions</h2>
      <Buttons />
      <Icons />
      <Views />
      <Keys />
    </section>
  );
}

function Buttons() {
  return (
    <Specimen name="Button">
      <State of="primary">
        <Button kind="primary" icon={<Plus aria-hidden />}>
          New flag
        </Button>
      </State>
      <State of="secondary">
        <Button>Compare</Button>
      </State>
      <State of="quiet">
        <Button kind="quiet">Discard</Button>
      </State>
      <State of="danger">
        <Button kind="danger" icon={<Trash2 aria-hidden />}>
          Delete project
        </Button>
      </State>
      <State of="production">
        <Button kind="production">Save to production</Button>
      </State>
      <State of="pending">
        <Button kind="primary" pending>
          Save
        </Button>
      </State>
      <State of="pending">
        <Button pending>Compare</Button>
      </State>
      <State of="with a reason">
        <Button kind="primary" reason="Needs UPDATE_FEATURE in shop">
          Save
        </Button>
      </State>
      <State of="with a reason">
        <Button reason="Needs DELETE_PROJECT">Archive</Button>
      </State>
      <State of="small">
        <Button size="small">Add constraint</Button>
      </State>
    </Specimen>
  );
}

function Icons() {
  return (
    <>
      <Specimen name="IconButton">
        <State of="quiet">
          <IconButton icon={<Ellipsis aria-hidden />} label="More actions" />
        </State>
        <State of="secondary">
          <IconButton icon={<Copy aria-hidden />} label="Clone the flag" kind="secondary" keys="mod+d" />
        </State>
        <State of="with a reason">
          <IconButton icon={<Trash2 aria-hidden />} label="Delete" reason="Two flags depend on it" />
        </State>
      </Specimen>
      <Specimen name="CopyButton">
        <State of="icon">
          <CopyButton text="new-checkout" label="the name" />
        </State>
        <State of="with its label">
          <CopyButton text="*:development.abc" label="the token" isLabelShown />
        </State>
      </Specimen>
    </>
  );
}

function Views() {
  const [view, setView] = useState<View>('Overview');
  const [range, setRange] = useState('24h');
  return (
    <>
      <Specimen name="Segmented">
        <State of="three">
          <Segmented
            label="Period"
            options={['1h', '24h', '7d'].map((value) => ({ value, label: value }))}
            value={range}
            onChange={setRange}
          />
        </State>
      </Specimen>
      <Specimen name="Tabs">
        <State of="with counts" wide>
          <Tabs
            label="Flag"
            tabs={VIEWS.map((value) => ({ value, label: value, ...(value === 'History' && { count: 128 }) }))}
            value={view}
            onChange={setView}
          >
            <p className={styles.quiet}>The panel of {view}.</p>
          </Tabs>
        </State>
      </Specimen>
    </>
  );
}

function Keys() {
  return (
    <>
      <Specimen name="Tooltip">
        <State of="hover or focus">
          <Tooltip text="Changed by Ada Lovelace 3 minutes ago" keys="g h">
            <Button kind="quiet">Hover me</Button>
          </Tooltip>
        </State>
      </Specimen>
      <Specimen name="Kbd">
        <State of="chord">
          <Kbd keys="mod+k" />
        </State>
        <State of="sequence">
          <Kbd keys="g f" />
        </State>
        <State of="single">
          <Kbd keys="?" />
        </State>
      </Specimen>
    </>
  );
}
