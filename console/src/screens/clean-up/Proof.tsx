import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { CodeReferences } from '../../code/CodeReferences.tsx';
import { useReferences } from '../../code/code-data.ts';
import { useFeature } from '../../data/feature.ts';
import { flagTypesQuery, isProduction } from '../../data/settings.ts';
import { IN_USE_MS } from '../../domain/flag-row.ts';
import { DAY_MS } from '../../domain/milliseconds.ts';
import { applicationsOf, reportsQuery, slotText } from '../../flags/use-data.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Button, buttonClass } from '../../kit/inputs/Button.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { cleanUp as words } from '../../words/en/flags/clean-up.ts';
import { code } from '../../words/en/flags/code.ts';
import { features } from '../../words/en/flags/features.ts';
import { numberText } from '../../words/number-text.ts';
import type { Candidate, Reason } from './clean-up-data.ts';

/** As long as counts are stored. */
const HOURS_KEPT = 91 * 24;

const ageIn = (at: string, nowMs: number) => Math.max(0, Math.floor((nowMs - Date.parse(at)) / DAY_MS));

function sentenceOf(reason: Reason, flag: Candidate, days: number, lifetime: number | null | undefined): string {
  const { sentences } = words;
  if (reason === 'lifetime')
    return sentences.lifetime(features.types[flag.type], lifetime ?? 0, ageIn(flag.createdAt, Date.now()));
  if (reason === 'unused') return sentences.unused(days);
  if (reason === 'completed') {
    if (flag.status === 'kept' || flag.status === 'discarded') return sentences[flag.status];
    return sentences.completed;
  }
  return sentences.stale;
}

/** Whether it can go: no SDK asks for it, no flag depends on it, and no code that was reported uses it. */
function Verdict({ flag, needed }: { readonly flag: Candidate; readonly needed: readonly string[] }) {
  const { lastSeenAt, project, name } = flag;
  const using = useReferences(project, name).data?.repositories.length ?? 0;
  if (needed.length > 0) return <Banner tone="bad">{words.needed(needed.join(', '))}</Banner>;
  if (using > 0) return <Banner tone="warn">{code.stillUsed(using)}</Banner>;
  if (lastSeenAt === null) return <Banner tone="good">{words.safeNever}</Banner>;
  const ageMs = Date.now() - Date.parse(lastSeenAt);
  if (ageMs < IN_USE_MS) return <Banner tone="warn">{words.inUse}</Banner>;
  return <Banner tone="good">{words.safe(Math.floor(ageMs / DAY_MS))}</Banner>;
}

/** Why it cannot be archived: flags depend on it, or it is not known whether any does. */
function dependentsOf({ data, error }: ReturnType<typeof useFeature>): string | undefined {
  if (error) return words.notProven;
  if (!data) return words.proving;
  const { children } = data.value;
  return children.length > 0 ? words.needed(children.join(', ')) : undefined;
}

function Environments({ flag }: { readonly flag: Candidate }) {
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{words.lastSeen}</h3>
      <ul className={styles.items}>
        {flag.environments.map(({ name, type, enabled, lastSeenAt }) => (
          <li key={name}>
            <span className={styles.grow}>
              <EnvironmentMark name={name} production={isProduction(type)} />
            </span>
            <Badge tone={enabled ? 'good' : 'neutral'}>{enabled ? words.switchedOn : words.switchedOff}</Badge>
            <span>{lastSeenAt ? <TimeText at={lastSeenAt} /> : words.never}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Uses({ name }: { readonly name: string }) {
  const query = useQuery(reportsQuery(name, HOURS_KEPT));
  return (
    <section className={styles.stack}>
      <h3 className={styles.heading}>{words.uses}</h3>
      <Loaded query={query} shape="text" rows={2}>
        {(reports) => {
          const applications = applicationsOf(reports);
          if (applications.length === 0) return <p className={styles.quiet}>{words.noUses}</p>;
          return (
            <ul className={styles.items}>
              {applications.map(({ appName, environments, yes, no, lastMs }) => (
                <li key={appName}>
                  <Link className={`${styles.grow} ${styles.inline}`} href={path('application', { appName })}>
                    {appName}
                  </Link>
                  <span className={styles.quiet}>
                    {environments.join(', ')} · {words.usedAt(numberText(yes + no), slotText(lastMs, HOURS_KEPT))}
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </section>
  );
}

interface ProofProps {
  readonly flag: Candidate;
  readonly days: number;
  /** Why it cannot be archived or marked by this person. */
  readonly mayNotArchive: string | undefined;
  readonly mayNotMark: string | undefined;
  readonly onArchive: () => void;
  readonly onMark: () => void;
  readonly onClose: () => void;
}

/** Why a flag is listed, when each environment was asked for it, and which applications asked. */
export function Proof({ flag, days, mayNotArchive, mayNotMark, onArchive, onMark, onClose }: ProofProps) {
  const { name, project, reasons, type } = flag;
  const { data: types } = useQuery(flagTypesQuery);
  const read = useFeature(project, name);
  const lifetime = types?.find(({ id }) => id === type)?.lifetimeDays;
  return (
    <Inspector
      title={<code>{name}</code>}
      onClose={onClose}
      footer={
        <>
          <Link href={path('feature', { projectId: project, featureId: name })} className={buttonClass()}>
            {words.open}
          </Link>
          {!reasons.includes('stale') && (
            <Button reason={mayNotMark} onClick={onMark}>
              {words.markStale}
            </Button>
          )}
          <Button kind="danger" reason={mayNotArchive ?? dependentsOf(read)} onClick={onArchive}>
            {words.archive}
          </Button>
        </>
      }
    >
      <div className={styles.stack}>
        <Loaded query={read} shape="text" rows={1}>
          {({ value }) =>
            read.error ? (
              <Banner tone="bad">{read.error.message}</Banner>
            ) : (
              <Verdict flag={flag} needed={value.children} />
            )
          }
        </Loaded>
        <section className={styles.stack}>
          <h3 className={styles.heading}>{words.reason}</h3>
          <ul className={styles.sentences}>
            {reasons.map((reason) => (
              <li key={reason}>
                <span>{sentenceOf(reason, flag, days, lifetime)}</span>
              </li>
            ))}
          </ul>
        </section>
        <Environments flag={flag} />
        <Uses name={name} />
        <CodeReferences project={project} name={name} />
      </div>
    </Inspector>
  );
}
