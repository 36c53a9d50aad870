import { useState } from 'react';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import { safeHref } from '../../kit/texts/Markdown.tsx';
import { BannerNotice } from '../../page/BannerNotice.tsx';
import { fieldSentences } from '../../parts/differences.ts';
import { EditPanel } from '../../parts/EditPanel.tsx';
import styles from '../../parts/parts.module.css';
import { banners as words } from '../../words/en/admin/banners.ts';
import { parts } from '../../words/en/parts.ts';
import {
  type Banner,
  type BannerValues,
  createBanner,
  EMPTY,
  problemOf,
  saveBanner,
  shownOf,
  valuesOf,
} from './banner-data.ts';

interface FieldsProps {
  readonly values: BannerValues;
  readonly onChange: (values: BannerValues) => void;
}

const VARIANTS = ['info', 'success', 'warning', 'error'] as const;
const MORES = ['none', 'link', 'dialog'] as const;

function More({ values, onChange }: FieldsProps) {
  const { more, link, linkText, dialogTitle, dialog } = values;
  const isWrong = link.trim() !== '' && !safeHref(link.trim());
  return (
    <>
      <div className={styles.tight}>
        <span className={styles.label}>{words.more}</span>
        <Segmented
          label={words.more}
          value={more}
          onChange={(next) => onChange({ ...values, more: next })}
          options={MORES.map((value) => ({ value, label: words.mores[value] }))}
        />
      </div>
      {more === 'link' && (
        <Field label={words.link} hint={words.linkHint} error={isWrong ? words.linkWrong : undefined} required>
          <TextInput
            mono
            maxLength={2000}
            value={link}
            onChange={(event) => onChange({ ...values, link: event.target.value })}
          />
        </Field>
      )}
      {more !== 'none' && (
        <Field label={more === 'link' ? words.linkText : words.buttonText} hint={words.linkTextHint}>
          <TextInput
            maxLength={500}
            value={linkText}
            onChange={(event) => onChange({ ...values, linkText: event.target.value })}
          />
        </Field>
      )}
      {more === 'dialog' && (
        <>
          <Field label={words.dialogTitle} hint={words.dialogTitleHint}>
            <TextInput
              maxLength={500}
              value={dialogTitle}
              onChange={(event) => onChange({ ...values, dialogTitle: event.target.value })}
            />
          </Field>
          <Field label={words.dialog} hint={words.dialogHint} required>
            <TextArea
              rows={4}
              maxLength={10_000}
              value={dialog}
              onChange={(event) => onChange({ ...values, dialog: event.target.value })}
            />
          </Field>
        </>
      )}
    </>
  );
}

function Fields({ values, onChange }: FieldsProps) {
  const { message, variant, sticky, enabled } = values;
  return (
    <>
      <Preview key={JSON.stringify(values)} values={values} />
      <Field label={words.message} hint={words.messageHint} required>
        <TextArea
          autoFocus
          rows={2}
          maxLength={10_000}
          value={message}
          onChange={(event) => onChange({ ...values, message: event.target.value })}
        />
      </Field>
      <Field label={words.kind}>
        <Select
          value={variant}
          onChange={(value) => onChange({ ...values, variant: value as BannerValues['variant'] })}
          options={VARIANTS.map((value) => ({ value, label: words.kinds[value] }))}
        />
      </Field>
      <More values={values} onChange={onChange} />
      <Checkbox
        label={words.sticky}
        hint={words.stickyHint}
        checked={sticky}
        onChange={(checked) => onChange({ ...values, sticky: checked })}
      />
      <Checkbox
        label={words.enabled}
        checked={enabled}
        onChange={(checked) => onChange({ ...values, enabled: checked })}
      />
    </>
  );
}

/** The banner of the form. Each change of the form makes a new one, so that a closed one is there again. */
function Preview({ values }: { readonly values: BannerValues }) {
  const [isClosed, setClosed] = useState(false);
  const isEmpty = values.message.trim() === '';
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{words.preview}</h3>
      {isEmpty && <p className={styles.quiet}>{words.noPreview}</p>}
      {isClosed && <p className={styles.quiet}>{words.closed}</p>}
      {!isEmpty && !isClosed && <BannerNotice banner={shownOf(values)} onDismiss={() => setClosed(true)} />}
    </section>
  );
}

export function CreateBanner({ onClose }: { readonly onClose: () => void }) {
  const [values, setValues] = useKept('values', EMPTY);
  const mayNot = useMay('ADMIN');
  return (
    <EditPanel<Banner>
      title={words.createTitle}
      mayNot={mayNot}
      problem={problemOf(values)}
      label={parts.create}
      save={() => createBanner(values)}
      saved={{ canUndo: true, text: words.created, refresh: [keys.banners] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Fields values={values} onChange={setValues} />
    </EditPanel>
  );
}

const NAMES = {
  message: words.message,
  variant: words.kind,
  sticky: words.sticky,
  enabled: words.enabled,
  more: words.more,
  link: words.link,
  linkText: words.linkText,
  dialogTitle: words.dialogTitle,
  dialog: words.dialog,
} as const;

const named = (values: BannerValues) => ({
  ...values,
  variant: words.kinds[values.variant],
  more: words.mores[values.more],
});

export function EditBanner({ banner, onClose }: { readonly banner: Banner; readonly onClose: () => void }) {
  const [base] = useState(() => valuesOf(banner));
  const [values, setValues] = useKept('values', base);
  const mayNot = useMay('ADMIN');
  return (
    <EditPanel<Banner>
      title={words.editTitle}
      mayNot={mayNot}
      problem={problemOf(values)}
      sentences={fieldSentences(named(base), named(values), NAMES)}
      save={(reason) => saveBanner(banner.id, base, values, reason)}
      saved={{ canUndo: true, text: words.saved, refresh: [keys.banners] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Fields values={values} onChange={setValues} />
    </EditPanel>
  );
}
