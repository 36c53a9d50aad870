import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import { Combobox } from '../kit/inputs/Combobox.tsx';
import { parts as words } from '../words/en/parts.ts';
import { useTyped } from './use-typed.ts';

/** Text over many flags takes the server a while. */
const SEARCH_AFTER_MS = 250;
const SUGGESTED = 20;

/** Flags that match what is typed. */
const flagNamesQuery = (text: string) =>
  ({
    queryKey: keys.own('flag-names', text),
    queryFn: async () => {
      const query = { query: text, limit: SUGGESTED, fields: 'project' };
      return (await read(api.GET('/api/admin/search/features', { params: { query } }))).features.map(
        ({ name }) => name,
      );
    },
  }) as const;

interface FlagChoiceProps {
  /** The name of a flag. Empty: every flag. */
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** One flag, or every flag. What was recorded of deleted flags stays: their names are not suggested, but can be typed. */
export function FlagChoice({ value, onChange }: FlagChoiceProps) {
  const [text, setText] = useState('');
  const { text: searched, setText: setSearched } = useTyped(text, setText, SEARCH_AFTER_MS);
  const { data: names = [], isFetching } = useQuery({
    ...flagNamesQuery(text.trim()),
    enabled: text.trim() !== '',
    placeholderData: keepPreviousData,
  });
  return (
    <Combobox
      mono
      newIs={words.otherFlag}
      label={words.flag}
      placeholder={words.flag}
      value={value || null}
      onChange={(name) => onChange(name ?? '')}
      options={names.map((name) => ({ value: name, label: name }))}
      onSearch={setSearched}
      isSearching={isFetching || searched !== text}
    />
  );
}
