import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, read } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import { useMe } from '../data/may.ts';
import { Combobox } from '../kit/inputs/Combobox.tsx';
import { parts as words } from '../words/en/parts.ts';

const FRESH_MS = 60_000;

/** Everyone who made a change that is still recorded. */
const creatorsQuery = {
  queryKey: keys.own('event-creators'),
  queryFn: () => read(api.GET('/api/admin/event-creators')),
  staleTime: FRESH_MS,
} as const;

interface PersonChoiceProps {
  /** The id of a user. Empty: everyone. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** The author of all changes with API tokens that no user or service account has. */
const TOKENS_ID = -42;
const SERVICE_ID = -1337;

/** One of the people who made changes, tokens, or everyone. The reader is the first. */
export function PersonChoice({ value, onChange }: PersonChoiceProps) {
  const { data = [] } = useQuery(creatorsQuery);
  const me = useMe().data?.user;
  const options = useMemo(
    () => [
      ...(me ? [{ value: String(me.id), label: words.byMe }] : []),
      { value: String(TOKENS_ID), label: words.byTokens },
      ...data
        .filter(({ id }) => id !== me?.id && id !== TOKENS_ID)
        .map(({ id, name }) => ({ value: String(id), label: id === SERVICE_ID ? words.byService : name })),
    ],
    [data, me],
  );
  return (
    <Combobox
      label={words.person}
      placeholder={words.person}
      value={value || null}
      onChange={(id) => onChange(id ?? '')}
      options={options}
    />
  );
}
