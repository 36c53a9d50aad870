import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEnvironments, useProjects } from '../data/settings.ts';
import { useUrlState } from '../data/url-state.ts';
import { dayOf, yesterday } from '../domain/span.ts';
import type { Filters } from '../history/read-history.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Combobox } from '../kit/inputs/Combobox.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { parts } from '../words/en/parts.ts';
import { recent as words } from '../words/en/recent.ts';
import { DayRange } from './DayRange.tsx';
import { FlagChoice } from './FlagChoice.tsx';
import { PersonChoice } from './PersonChoice.tsx';
import styles from './parts.module.css';
import { ANY, DAYS, LONGER, type SpanState, UP_TO_A_DAY, useSpan } from './use-span.ts';

const TODAY = 'today';
const YESTERDAY = 'yesterday';

const optionOf = (minutes: number) => ({ value: String(minutes), label: words.last(minutes) });
const OPTIONS = [
  ...UP_TO_A_DAY.map(optionOf),
  { value: TODAY, label: words.today },
  { value: YESTERDAY, label: words.yesterday },
  ...LONGER.map(optionOf),
  { value: DAYS, label: words.days },
  { value: ANY, label: words.any },
];

/** The filters of what happened, which are in the address. `usual`: the time without one. */
export function useHappenedFilters(usual: string) {
  const time = useSpan(usual);
  const [person, setPerson] = useUrlState('person');
  const [feature, setFeature] = useUrlState('feature');
  const [project, setProject] = useUrlState('project');
  const [environment, setEnvironment] = useUrlState('environment');
  const filters: Filters = { span: time.span, person, feature, project, environment };
  const clear = () => {
    setPerson('');
    setFeature('');
    setProject('');
    setEnvironment('');
  };
  const isFiltered = person !== '' || feature !== '' || project !== '' || environment !== '';
  return { filters, time, isFiltered, setPerson, setFeature, setProject, setEnvironment, clear };
}

export type HappenedState = ReturnType<typeof useHappenedFilters>;

function SpanChoice({ time }: { readonly time: SpanState }) {
  const { span } = time;
  const now = Date.now();
  const days: Readonly<Record<string, readonly [first: string, last: string]>> = {
    [TODAY]: [dayOf(now), dayOf(now)],
    [YESTERDAY]: [yesterday(now), yesterday(now)],
    [DAYS]: [yesterday(now), dayOf(now)],
  };
  const isOn = (name: string) => 'from' in span && span.from === days[name]?.[0] && span.to === days[name]?.[1];
  const ofDays = time.isAny ? ANY : ([TODAY, YESTERDAY].find(isOn) ?? DAYS);
  const choose = (chosen: string) => {
    const [first, last] = days[chosen] ?? [];
    if (first === undefined || last === undefined || (chosen === DAYS && time.isAny)) return time.show(chosen);
    time.setFirstDay(first);
    time.setLastDay(last);
  };
  return (
    <>
      <div className={styles.choice}>
        <Select
          label={words.window}
          value={'minutes' in span ? String(span.minutes) : ofDays}
          onChange={choose}
          options={OPTIONS}
        />
      </div>
      {'from' in span && !time.isAny && (
        <DayRange from={span.from} to={span.to} onFrom={time.setFirstDay} onTo={time.setLastDay} />
      )}
    </>
  );
}

interface HappenedFiltersProps {
  readonly state: HappenedState;
  /** Further filters, and whether they are set. */
  readonly children?: ReactNode;
  readonly isFiltered?: boolean;
  readonly onClear?: () => void;
}

/** Time, person, flag, project and environment: the same wherever people read what happened. */
export function HappenedFilters({ state, children, isFiltered = false, onClear }: HappenedFiltersProps) {
  const { filters } = state;
  const { data: projects = [] } = useProjects();
  const { data: environments = [] } = useEnvironments();
  return (
    <search className={styles.tools}>
      <SpanChoice time={state.time} />
      {children}
      <div className={styles.choice}>
        <PersonChoice value={filters.person} onChange={state.setPerson} />
      </div>
      <div className={styles.choice}>
        <FlagChoice value={filters.feature} onChange={state.setFeature} />
      </div>
      <div className={styles.choice}>
        <Combobox
          label={parts.project}
          placeholder={parts.project}
          value={filters.project || null}
          onChange={(id) => state.setProject(id ?? '')}
          options={projects.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </div>
      <div className={styles.choice}>
        <Combobox
          label={words.environment}
          placeholder={words.environment}
          value={filters.environment || null}
          onChange={(name) => state.setEnvironment(name ?? '')}
          options={environments.map(({ name }) => ({ value: name, label: name }))}
        />
      </div>
      {(state.isFiltered || isFiltered) && (
        <Button
          kind="quiet"
          icon={<X aria-hidden />}
          onClick={() => {
            state.clear();
            onClear?.();
          }}
        >
          {parts.clearFilters}
        </Button>
      )}
    </search>
  );
}
