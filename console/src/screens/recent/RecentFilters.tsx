import { X } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { useEnvironments, useProjects } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import { DAY, HOUR, MONTH, WEEK } from '../../domain/minutes.ts';
import { dayOf, yesterday } from '../../domain/span.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Combobox } from '../../kit/inputs/Combobox.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { parts } from '../../words/en/parts.ts';
import { type TimeWords, recent as words } from '../../words/en/recent.ts';
import { DayRange } from '../parts/DayRange.tsx';
import { FlagChoice } from '../parts/FlagChoice.tsx';
import { PersonChoice } from '../parts/PersonChoice.tsx';
import styles from '../parts/parts.module.css';
import own from './Recent.module.css';
import type { Filters } from './recent-data.ts';

const UP_TO_A_DAY = [10, 30, HOUR, 4 * HOUR, DAY];
const LONGER = [WEEK, MONTH];
const USUAL = '30';
const TODAY = 'today';
const YESTERDAY = 'yesterday';
const DAYS = 'days';

const optionOf = (minutes: number) => ({ value: String(minutes), label: words.last(minutes) });
const OPTIONS = [
  ...UP_TO_A_DAY.map(optionOf),
  { value: TODAY, label: words.today },
  { value: YESTERDAY, label: words.yesterday },
  ...LONGER.map(optionOf),
  { value: DAYS, label: words.days },
];

/** The filters, which are in the address: the last minutes, or days. Both days can be empty, so `minutes` says which of the two. */
export function useFilters() {
  const [text, setMinutes] = useUrlState('minutes', USUAL);
  const [from, setFrom] = useUrlState('from');
  const [to, setTo] = useUrlState('to');
  const [person, setPerson] = useUrlState('person');
  const [feature, setFeature] = useUrlState('feature');
  const [project, setProject] = useUrlState('project');
  const [environment, setEnvironment] = useUrlState('environment');
  const isOfDays = text === DAYS || from !== '' || to !== '';
  const minutes = [...UP_TO_A_DAY, ...LONGER].find((one) => String(one) === text) ?? Number(USUAL);
  const filters = useMemo<Filters>(
    () => ({ span: isOfDays ? { from, to } : { minutes }, person, feature, project, environment }),
    [isOfDays, minutes, from, to, person, feature, project, environment],
  );
  const setFirstDay = useCallback(
    (day: string) => {
      setMinutes(DAYS);
      setFrom(day);
    },
    [setMinutes, setFrom],
  );
  const setLastDay = useCallback(
    (day: string) => {
      setMinutes(DAYS);
      setTo(day);
    },
    [setMinutes, setTo],
  );
  const showLast = (wanted: number) => {
    setFrom('');
    setTo('');
    setMinutes(String(wanted));
  };
  const clear = () => {
    setPerson('');
    setFeature('');
    setProject('');
    setEnvironment('');
  };
  const isFiltered = person !== '' || feature !== '' || project !== '' || environment !== '';
  return {
    filters,
    isFiltered,
    setFirstDay,
    setLastDay,
    showLast,
    setPerson,
    setFeature,
    setProject,
    setEnvironment,
    clear,
  };
}

type State = ReturnType<typeof useFilters>;

/** The longer time to look at if nothing was changed; undefined if there is none. */
export function longerThan({ span }: Filters): number | undefined {
  return 'minutes' in span ? [DAY, MONTH].find((one) => one > span.minutes) : undefined;
}

/** What the time is called. */
export function timeWords({ span }: Filters, now: number): TimeWords {
  if ('minutes' in span) return span.minutes;
  if (span.from === '' || span.from !== span.to) return 'days';
  if (span.from === dayOf(now)) return TODAY;
  return span.from === yesterday(now) ? YESTERDAY : 'day';
}

function SpanChoice({ state }: { readonly state: State }) {
  const { span } = state.filters;
  const now = Date.now();
  const days: Readonly<Record<string, readonly [first: string, last: string]>> = {
    [TODAY]: [dayOf(now), dayOf(now)],
    [YESTERDAY]: [yesterday(now), yesterday(now)],
    [DAYS]: [yesterday(now), dayOf(now)],
  };
  const isOn = (name: string) => 'from' in span && span.from === days[name]?.[0] && span.to === days[name]?.[1];
  const value = 'minutes' in span ? String(span.minutes) : ([TODAY, YESTERDAY].find(isOn) ?? DAYS);
  const choose = (chosen: string) => {
    const [first, last] = days[chosen] ?? [];
    if (first === undefined || last === undefined) return state.showLast(Number(chosen));
    state.setFirstDay(first);
    state.setLastDay(last);
  };
  return (
    <>
      <div className={own.choice}>
        <Select label={words.window} value={value} onChange={choose} options={OPTIONS} />
      </div>
      {'from' in span && <DayRange from={span.from} to={span.to} onFrom={state.setFirstDay} onTo={state.setLastDay} />}
    </>
  );
}

export function RecentFilters({ state }: { readonly state: State }) {
  const { filters, isFiltered } = state;
  const { data: projects = [] } = useProjects();
  const { data: environments = [] } = useEnvironments();
  return (
    <search className={styles.tools}>
      <SpanChoice state={state} />
      <div className={own.choice}>
        <PersonChoice value={filters.person} onChange={state.setPerson} />
      </div>
      <div className={own.choice}>
        <FlagChoice value={filters.feature} onChange={state.setFeature} />
      </div>
      <div className={own.choice}>
        <Combobox
          label={parts.project}
          placeholder={parts.project}
          value={filters.project || null}
          onChange={(id) => state.setProject(id ?? '')}
          options={projects.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </div>
      <div className={own.choice}>
        <Combobox
          label={words.environment}
          placeholder={words.environment}
          value={filters.environment || null}
          onChange={(name) => state.setEnvironment(name ?? '')}
          options={environments.map(({ name }) => ({ value: name, label: name }))}
        />
      </div>
      {isFiltered && (
        <Button kind="quiet" icon={<X aria-hidden />} onClick={state.clear}>
          {parts.clearFilters}
        </Button>
      )}
    </search>
  );
}
