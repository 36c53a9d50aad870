import { Link } from 'wouter';
import { useActionSetsOf } from '../../data/action-sets.ts';
import type { Feature } from '../../domain/model.ts';
import { path } from '../../paths.ts';
import { feature as words } from '../../words/en/flags/feature.ts';
import styles from './Feature.module.css';

const SHOWN = 3;

/** The actions that change the flag after signals of monitors. */
export function ChangedByActions({ flag: { name, project } }: { readonly flag: Feature }) {
  const sets = useActionSetsOf(project, name);
  if (sets.length === 0) return null;
  const more = sets.length - SHOWN;
  return (
    <p className={styles.line}>
      <span className={styles.quiet}>{words.changedByActions}</span>
      {sets.slice(0, SHOWN).map(({ set: { id, name: ofSet, enabled }, environments }) => (
        <span key={id}>
          <Link href={path('actionSet', { projectId: project, id })} className={styles.link}>
            {ofSet}
          </Link>{' '}
          <span className={styles.quiet}>{words.actionIn(environments, enabled)}</span>
        </span>
      ))}
      {more > 0 && (
        <Link href={path('projectSettingsTab', { projectId: project, tab: 'actions' })} className={styles.link}>
          {words.moreActions(more)}
        </Link>
      )}
    </p>
  );
}
