import { useQuery } from '@tanstack/react-query';
import { api, read } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Combobox } from '../../kit/inputs/Combobox.tsx';
import { parts as words } from '../../words/en/parts.ts';

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

/** One of the people who made changes, or everyone. */
export function PersonChoice({ value, onChange }: PersonChoiceProps) {
  const { data = [] } = useQuery(creatorsQuery);
  return (
    <Combobox
      label={words.person}
      placeholder={words.person}
      value={value || null}
      onChange={(id) => onChange(id ?? '')}
      options={data.map(({ id, name }) => ({ value: String(id), label: name }))}
    />
  );
}
