import { Search } from 'lucide-react';
import { useState } from 'react';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Combobox, MultiSelect } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { Switch } from '../../kit/inputs/Switch.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import { Kbd } from '../../kit/texts/Kbd.tsx';
import styles from './KitPage.module.css';
import { Specimen, State } from './Specimen.tsx';

const TYPES = [
  { value: 'release', label: 'Release', hint: 'Rolls out a feature. Expected to live for 40 days.' },
  { value: 'experiment', label: 'Experiment', hint: 'Compares variants. Expected to live for 40 days.' },
  { value: 'operational', label: 'Operational', hint: 'Migrates a system. Expected to live for 7 days.' },
  { value: 'kill-switch', label: 'Kill switch', hint: 'Degrades gracefully. Is permanent.' },
  { value: 'permission', label: 'Permission', reason: 'The project allows no permanent flags' },
];
const COUNTRIES = ['NO', 'SE', 'DK', 'FI', 'IS', 'DE', 'NL', 'FR', 'ES', 'IT', 'PT', 'PL'].map((value) => ({
  value,
  label: value,
}));

export function Inputs() {
  return (
    <section className={styles.group}>
      <h2 className={styles.heading}>Inputs</h2>
      <TextFields />
      <Choices />
      <Toggles />
    </section>
  );
}

function TextFields() {
  const [text, setText] = useState('new-checkout');
  return (
    <>
      <Specimen name="Field">
        <State of="with a hint">
          <Field label="Name" hint="Letters, digits, and . - _ ~" required className={styles.field}>
            <TextInput mono value={text} onChange={(event) => setText(event.target.value)} />
          </Field>
        </State>
        <State of="with an error">
          <Field label="Name" error="There is a flag with this name in payments" className={styles.field}>
            <TextInput mono defaultValue="new-checkout" />
          </Field>
        </State>
        <State of="empty">
          <Field label="Description" className={styles.field}>
            <TextInput placeholder="What is it for?" />
          </Field>
        </State>
        <State of="cannot be changed">
          <Field label="Project" hint="Move the flag to change it" className={styles.field}>
            <TextInput readOnly value="payments" mono />
          </Field>
        </State>
      </Specimen>
      <Specimen name="TextInput">
        <State of="search">
          <TextInput
            type="search"
            aria-label="Filter flags"
            placeholder="Filter flags"
            leading={<Search aria-hidden />}
            trailing={<Kbd keys="/" />}
            className={styles.field}
          />
        </State>
        <State of="small">
          <TextInput size="small" aria-label="Percentage" defaultValue="25" trailing="%" className={styles.field} />
        </State>
      </Specimen>
      <Specimen name="TextArea">
        <State of="grows with its text">
          <Field label="Reason" className={styles.field}>
            <TextArea placeholder="Why do you change it?" />
          </Field>
        </State>
      </Specimen>
    </>
  );
}

function Choices() {
  const [type, setType] = useState<string | null>('release');
  const [none, setNone] = useState<string | null>(null);
  const [country, setCountry] = useState<string | null>('NO');
  const [countries, setCountries] = useState<readonly string[]>(['NO', 'SE']);
  return (
    <>
      <Specimen name="Select">
        <State of="chosen">
          <Field label="Type" className={styles.field}>
            <Select options={TYPES} value={type} onChange={setType} />
          </Field>
        </State>
        <State of="nothing chosen">
          <Field label="Stickiness" className={styles.field}>
            <Select options={TYPES} value={none} onChange={setNone} placeholder="Choose a field" />
          </Field>
        </State>
      </Specimen>
      <Specimen name="Combobox">
        <State of="one of many">
          <Field label="Country" className={styles.field}>
            <Combobox options={COUNTRIES} value={country} onChange={setCountry} mono />
          </Field>
        </State>
      </Specimen>
      <Specimen name="MultiSelect">
        <State of="some of many, or new ones">
          <Field label="Values" hint="Type a value and press Enter" className={styles.field}>
            <MultiSelect options={COUNTRIES} values={countries} onChange={setCountries} mono newIs="Adds this value" />
          </Field>
        </State>
      </Specimen>
    </>
  );
}

function Toggles() {
  const [isChecked, setChecked] = useState(true);
  const [isOn, setOn] = useState(true);
  const nothing = () => undefined;
  return (
    <>
      <Specimen name="Checkbox">
        <State of="states">
          <Checkbox checked={isChecked} onChange={setChecked} label="Ignore case" />
        </State>
        <State of="off">
          <Checkbox checked={false} onChange={nothing} label="Invert" hint="Everything but these values" />
        </State>
        <State of="some">
          <Checkbox checked={false} mixed onChange={nothing} label="All environments" />
        </State>
        <State of="with a reason">
          <Checkbox checked onChange={nothing} label="Production" reason="Production is protected" />
        </State>
      </Specimen>
      <Specimen name="Switch">
        <State of="on">
          <Switch does="saves" checked={isOn} onChange={setOn} label="new-checkout in development" />
        </State>
        <State of="off">
          <Switch does="saves" checked={false} onChange={nothing} label="new-checkout in test" />
        </State>
        <State of="guarded on">
          <Switch checked onChange={nothing} does="asks" guarded label="new-checkout in production" />
        </State>
        <State of="guarded off">
          <Switch checked={false} onChange={nothing} does="asks" guarded label="old-cart in production" />
        </State>
        <State of="pending">
          <Switch does="saves" checked pending onChange={nothing} label="new-checkout in staging" />
        </State>
        <State of="with a reason">
          <Switch
            does="saves"
            checked
            onChange={nothing}
            label="beta in production"
            reason="Needs UPDATE_FEATURE_ENVIRONMENT"
          />
        </State>
      </Specimen>
    </>
  );
}
