import { Search, Star, Terminal, X } from 'lucide-react';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useEnvironments, useProjects } from '../data/settings.ts';
import type { FlagRow } from '../domain/flag-row.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { CopyButton } from '../kit/inputs/CopyButton.tsx';
import { IconButton } from '../kit/inputs/IconButton.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { Popover } from '../kit/overlays/Popover.tsx';
import { Kbd } from '../kit/texts/Kbd.tsx';
import { features as words } from '../words/en/flags/features.ts';
import styles from './Filters.module.css';
import { Filter, type FilterOption, FilterValues, Options } from './FilterValues.tsx';
import type { ListEnvironments } from './list-environments.ts';
import type { FlagFilterState } from './use-filter.ts';

/** The address follows the text when typing pauses: browsers limit how often it may change. */
const ADDRESS_AFTER_MS = 150;

interface FiltersProps {
  readonly state: FlagFilterState;
  readonly rows: readonly FlagRow[];
  readonly hasProject: boolean;
  readonly environments: ListEnvironments;
}

function tagOptions(rows: readonly FlagRow[]): FilterOption[] {
  const tags = new Set<string>();
  for (const row of rows) for (const tag of row.tags) tags.add(tag);
  return [...tags].sort().map((value) => ({ value, label: value }));
}

/** What is typed is shown at once, and is in the address a moment later. */
function useTypedText(state: FlagFilterState) {
  const [text, setText] = useState(state.filter.text);
  const inAddress = state.filter.text;
  useEffect(() => setText(inAddress), [inAddress]);
  const { setText: setAddress } = state;
  useEffect(() => {
    if (text === inAddress) return;
    const timer = setTimeout(() => setAddress(text), ADDRESS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, inAddress, setAddress]);
  return [text, setText] as const;
}

/** The names of the projects are read when the filter is opened. */
function ProjectOptions({ lists, setList }: Pick<FlagFilterState, 'lists' | 'setList'>) {
  const { data: projects } = useProjects();
  return (
    <Options
      options={(projects ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      values={lists.project}
      onChange={(values) => setList('project', values)}
    />
  );
}

type FacetsProps = Pick<FlagFilterState, 'lists' | 'setList'> & Pick<FiltersProps, 'rows' | 'hasProject'>;

/** Not rendered again with each key that is typed. */
const Facets = memo(({ lists, setList, rows, hasProject }: FacetsProps) => {
  const { data: environments } = useEnvironments();
  const tags = useMemo(() => tagOptions(rows), [rows]);
  const status = (environments ?? []).flatMap(({ name }) => [
    { value: `${name}:enabled`, label: words.isOn(name) },
    { value: `${name}:disabled`, label: words.isOff(name) },
  ]);
  return (
    <>
      {!hasProject && (
        <Filter label={words.project} values={lists.project}>
          <ProjectOptions lists={lists} setList={setList} />
        </Filter>
      )}
      <FilterValues
        label={words.status}
        options={status}
        values={lists.status}
        onChange={(values) => setList('status', values)}
      />
      <FilterValues label={words.tag} options={tags} values={lists.tag} onChange={(values) => setList('tag', values)} />
      <FilterValues
        label={words.type}
        options={Object.entries(words.types).map(([value, label]) => ({ value, label }))}
        values={lists.type}
        onChange={(values) => setList('type', values)}
      />
      <FilterValues
        label={words.state}
        options={Object.entries(words.states).map(([value, label]) => ({ value, label }))}
        values={lists.state}
        onChange={(values) => setList('state', values)}
      />
    </>
  );
});

/** What the API cannot search for in one request. */
function searchProblem({ filter: { text, favorites } }: FlagFilterState): string | undefined {
  if (favorites) return words.noSearchOfFavorites;
  return /[\s,]/.test(text.trim()) ? words.noSearchOfWords : undefined;
}

export function Filters({ state, rows, hasProject, environments }: FiltersProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useTypedText(state);
  const [, setParams] = useSearchParams();
  return (
    <search className={styles.filters}>
      <TextInput
        ref={input}
        type="search"
        className={styles.text}
        aria-label={words.filter}
        placeholder={words.filterPlaceholder}
        data-shortcut-target="filter"
        leading={<Search aria-hidden />}
        trailing={text === '' ? <Kbd keys="/" /> : undefined}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setText('');
        }}
      />
      <Facets lists={state.lists} setList={state.setList} rows={rows} hasProject={hasProject} />
      <IconButton
        size="small"
        icon={<Star aria-hidden fill={state.filter.favorites ? 'currentColor' : 'none'} />}
        label={words.favorites}
        aria-pressed={state.filter.favorites}
        onClick={() => state.setFavorites(!state.filter.favorites)}
      />
      <CopyButton
        name={words.copySearch}
        icon={<Terminal aria-hidden />}
        text={async () => (await import('./search-curl.ts')).searchCurl(state.filter, state.sort, state.isDescending)}
        reason={searchProblem(state)}
      />
      {environments.all.length > 1 && (
        <Popover
          size="small"
          kind="quiet"
          label={words.environments(environments.shown.length, environments.all.length)}
          title={words.chooseEnvironments}
          align="start"
        >
          <Options
            options={environments.all.map(({ name }) => ({ value: name, label: name }))}
            values={environments.shown.map(({ name }) => name)}
            onChange={environments.choose}
          />
        </Popover>
      )}
      {state.isFiltered && (
        <Button
          size="small"
          kind="quiet"
          icon={<X aria-hidden />}
          onClick={() => {
            setText('');
            setParams(new URLSearchParams(), { replace: true });
            input.current?.focus();
          }}
        >
          {words.clear}
        </Button>
      )}
    </search>
  );
}
