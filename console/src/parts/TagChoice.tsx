import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { tagsQuery } from '../data/settings.ts';
import { Combobox } from '../kit/inputs/Combobox.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { Words } from '../save/Words.tsx';
import { parts as words } from '../words/en/parts.ts';

interface TagChoiceProps {
  readonly label: string;
  readonly hint?: string;
  readonly required?: boolean;
  /** Only the values of this type are offered. Without it, tags are `type:value`. */
  readonly type?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A tag that flags have, or another one, with a warning. */
export function TagChoice({ label, hint, required = false, type, value, onChange }: TagChoiceProps) {
  const { data: tags } = useQuery(tagsQuery);
  const known = useMemo(
    () =>
      tags?.flatMap((tag) => (type === undefined ? `${tag.type}:${tag.value}` : tag.type === type ? tag.value : [])),
    [tags, type],
  );
  const isUnknown = known !== undefined && value !== '' && !known.includes(value);
  return (
    <>
      <Field label={label} hint={hint} required={required}>
        <Combobox
          mono
          newIs={words.newTag}
          options={(known ?? []).map((one) => ({ value: one, label: one }))}
          value={value || null}
          onChange={(next) => onChange(next?.trim() ?? '')}
        />
      </Field>
      {isUnknown && (
        <Banner tone="warn">
          <Words text={words.unknownTag(type === undefined ? value : `${type}:${value}`)} />
        </Banner>
      )}
    </>
  );
}
