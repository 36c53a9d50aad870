import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../api/schema.d.ts';
import { api, read } from '../../../data/client.ts';
import { keys } from '../../../data/keys.ts';
import { isProduction, useUiConfig } from '../../../data/settings.ts';
import type { Feature, FeatureEnvironment } from '../../../domain/model.ts';
import { EnvironmentMark, productionEdge } from '../../../kit/changes/EnvironmentMark.tsx';
import { classes } from '../../../kit/classes.ts';
import { Loaded } from '../../../parts/Loaded.tsx';
import parts from '../../../parts/parts.module.css';
import { cost as words } from '../../../words/en/flags/use.ts';
import { numberText } from '../../../words/number-text.ts';
import styles from './Use.module.css';

type Limits = components['schemas']['resourceLimits'];
type Name = keyof typeof words.names;

interface Meter {
  readonly name: Name;
  readonly value: number;
  readonly limit: number;
}

const NEAR = 0.8;

const readMeasured = (flag: Feature, environment: string) =>
  read(
    api.GET('/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}', {
      params: { path: { projectId: flag.project, featureName: flag.name, environment } },
    }),
  );
type Measured = Awaited<ReturnType<typeof readMeasured>>;

const most = (counts: readonly number[]) => counts.reduce((max, count) => Math.max(max, count), 0);

/** What the API measures, and what is counted, each beside its limit. The nearest to its limit first. */
function metersOf(measured: Pick<Measured, 'measures' | 'strategies'>, limits: Limits | undefined): Meter[] {
  const { measures, strategies } = measured;
  const meters: Meter[] = Object.entries(measures ?? {}).map(([name, measure]) => ({ name: name as Name, ...measure }));
  if (limits) {
    const constraints = strategies.flatMap((one) => one.constraints);
    const counted: Meter[] = [
      { name: 'strategies', value: strategies.length, limit: limits.featureEnvironmentStrategies },
      { name: 'constraints', value: most(strategies.map((one) => one.constraints.length)), limit: limits.constraints },
      {
        name: 'constraintValues',
        value: most(constraints.map(({ values }) => values?.length ?? 0)),
        limit: limits.constraintValues,
      },
      { name: 'segments', value: most(strategies.map((one) => one.segments.length)), limit: limits.strategySegments },
    ];
    for (const meter of counted) if (meter.value > 0) meters.push(meter);
  }
  return meters.sort((a, b) => b.value / b.limit - a.value / a.limit);
}

function MeterLine({
  meter: { name, value, limit },
  environment,
}: {
  readonly meter: Meter;
  readonly environment: string;
}) {
  const share = value / limit;
  const tone = share >= 1 ? 'over' : share >= NEAR ? 'near' : undefined;
  const text = words.values[name] ?? numberText;
  const said = words.of(text(value), text(limit));
  return (
    <li title={words.hints[name]}>
      <span className={styles.meterHead}>
        <span>{words.names[name]}</span>
        <span className={parts.quiet}>
          {said} · {words.share(share)}
          {tone && ` · ${words[tone]}`}
        </span>
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers draw a meter element in colours of their own. */}
      <span
        role="meter"
        aria-label={words.meter(words.names[name], environment)}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(value, limit)}
        aria-valuetext={said}
        className={styles.track}
      >
        <span className={styles.fill} data-tone={tone} style={{ width: `${Math.min(100, 100 * share)}%` }} />
      </span>
    </li>
  );
}

/** Each environment is a request, so those of more environments are read when they are opened. */
const OPEN_MAX = 5;

interface EnvironmentProps {
  readonly flag: Feature;
  readonly environment: FeatureEnvironment;
  readonly isOpenAtFirst: boolean;
}

function Environment({ flag, environment: { name, type }, isOpenAtFirst }: EnvironmentProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const query = useQuery({
    enabled: isOpen,
    queryKey: keys.featureOf(flag.name, 'measures', name),
    queryFn: () => readMeasured(flag, name),
  });
  const limits = useUiConfig()?.resourceLimits;
  const production = isProduction(type);
  return (
    <section className={classes(parts.card, productionEdge(production))} aria-label={words.inEnvironment(name)}>
      <details open={isOpen} className={styles.cost} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <h3 className={parts.heading}>
            <EnvironmentMark name={name} production={production} />
          </h3>
        </summary>
        {isOpen && (
          <Loaded query={query} shape="text" rows={4}>
            {(measured) => (
              <ul className={styles.meters}>
                {metersOf(measured, limits).map((meter) => (
                  <MeterLine key={meter.name} meter={meter} environment={name} />
                ))}
              </ul>
            )}
          </Loaded>
        )}
      </details>
    </section>
  );
}

/** How near the flag is to the limits, in each environment. */
export function Cost({ flag }: { readonly flag: Feature }) {
  if (flag.archived) return null;
  return (
    <section className={parts.stack}>
      <h2 className={parts.heading}>{words.title}</h2>
      <p className={parts.lead}>{words.lead}</p>
      <div className={classes(styles.cards, styles.costs)}>
        {flag.environments.map((environment) => (
          <Environment
            key={environment.name}
            flag={flag}
            environment={environment}
            isOpenAtFirst={flag.environments.length <= OPEN_MAX}
          />
        ))}
      </div>
    </section>
  );
}
