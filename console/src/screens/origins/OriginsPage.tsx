import { useQuery } from '@tanstack/react-query';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { api, read, stated, write } from '../../data/client.ts';
import { ifSame } from '../../data/if-same.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import { uiConfigQuery } from '../../data/settings.ts';
import { useShortcut } from '../../keys/registry.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { TextArea } from '../../kit/inputs/TextInput.tsx';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { origins as words } from '../../words/en/admin/instance.ts';
import { listOf, type Mode, problemOf, sentencesOf, valuesOf } from './origin-data.ts';

const readOrigins = async () =>
  (await read(api.GET('/api/admin/ui-config', { cache: 'no-store' }))).frontendApiOrigins as readonly string[];

const MODES: readonly Mode[] = ['every', 'some', 'none'];

function EditOrigins({ origins, onClose }: { readonly origins: readonly string[]; readonly onClose: () => void }) {
  const [base] = useState(origins);
  const [values, setValues] = useKept('values', () => valuesOf(origins));
  const mayNot = useMay('ADMIN');
  const problem = problemOf(values);
  const list = listOf(values);
  return (
    <EditPanel<unknown>
      title={words.editTitle}
      mayNot={mayNot}
      problem={problem}
      sentences={problem ? [] : sentencesOf(base, list)}
      save={(reason) =>
        ifSame(readOrigins, base, () =>
          write<unknown>(
            api.POST('/api/admin/ui-config/cors', { headers: stated({ reason }), body: { frontendApiOrigins: list } }),
          ),
        )
      }
      saved={{ text: words.saved, refresh: [keys.uiConfig] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <div className={styles.tight}>
        <span className={styles.label}>{words.mode}</span>
        <Segmented
          label={words.mode}
          value={values.mode}
          onChange={(mode) => setValues({ ...values, mode })}
          options={MODES.map((value) => ({ value, label: words.modes[value] }))}
        />
      </div>
      {values.mode === 'some' && (
        <Field label={words.list} hint={words.listHint} error={values.text === '' ? undefined : problem} required>
          <TextArea
            autoFocus
            mono
            rows={6}
            value={values.text}
            onChange={(event) => setValues({ ...values, text: event.target.value })}
          />
        </Field>
      )}
      <p className={styles.quiet}>{words.applies}</p>
    </EditPanel>
  );
}

function Current({ origins }: { readonly origins: readonly string[] }) {
  if (origins.includes('*')) return <p>{words.every}</p>;
  if (origins.length === 0) return <p>{words.none}</p>;
  return (
    <ul className={styles.sentences}>
      {origins.map((origin) => (
        <li key={origin}>
          <code>{origin}</code>
        </li>
      ))}
    </ul>
  );
}

/** The origins that are in force, with the panel that edits them. */
export function OriginsPage() {
  const query = useQuery(uiConfigQuery);
  const [panel, setPanel] = useOpened('panel');
  const mayNot = useMay('ADMIN');
  const edit = () => setPanel('edit');
  useShortcut(mayNot === undefined ? { keys: 'e', label: words.edit, group: words.title, run: edit } : undefined);
  return (
    <Page name={words.title} lead={words.lead}>
      <Loaded query={query}>
        {({ frontendApiOrigins }) => (
          <>
            <section className={`${styles.card} ${styles.narrow}`}>
              <h2 className={styles.heading}>{words.current}</h2>
              <Current origins={frontendApiOrigins} />
              <div>
                <Button icon={<Pencil aria-hidden />} reason={mayNot} onClick={edit}>
                  {words.edit}
                </Button>
              </div>
            </section>
            {panel === 'edit' && <EditOrigins origins={frontendApiOrigins} onClose={() => setPanel('')} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}
