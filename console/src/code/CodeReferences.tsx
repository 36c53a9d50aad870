import { classes } from '../kit/classes.ts';
import { TimeText } from '../kit/texts/TimeText.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import styles from '../parts/parts.module.css';
import { Words } from '../save/Words.tsx';
import { code as words } from '../words/en/flags/code.ts';
import { linkOf, type Place, type UsingRepository, useReferences } from './code-data.ts';

const PLACES_MAX = 20;

function PlaceText({ repository, place }: { readonly repository: UsingRepository; readonly place: Place }) {
  const text = `${place.path}:${place.line}`;
  const href = linkOf(repository, place);
  if (href === undefined) return <code className={`${styles.wrap} ${styles.mono}`}>{text}</code>;
  return (
    <a className={`${styles.wrap} ${styles.mono} ${styles.inline}`} href={href} rel="noreferrer" target="_blank">
      {text}
    </a>
  );
}

function InRepository({ repository }: { readonly repository: UsingRepository }) {
  const { name, branch, commit, reportedAt, places } = repository;
  const at = words.at(branch, commit);
  return (
    <section className={styles.card} aria-label={name}>
      <div className={`${styles.between} ${styles.wraps}`}>
        <h3 className={`${styles.heading} ${styles.wrap}`}>{name}</h3>
        <span className={`${styles.quiet} ${styles.wrap}`}>
          {at !== '' && `${at} · `}
          {words.reported} <TimeText at={reportedAt} />
        </span>
      </div>
      <ul className={styles.tight}>
        {places.slice(0, PLACES_MAX).map((place) => (
          <li key={`${place.path}:${place.line}`} className={styles.wrap}>
            <PlaceText repository={repository} place={place} />
          </li>
        ))}
        {places.length > PLACES_MAX && <li className={styles.quiet}>{words.more(places.length - PLACES_MAX)}</li>}
      </ul>
    </section>
  );
}

/** Where the code of repositories uses a flag. */
export function CodeReferences({ project, name }: { readonly project: string; readonly name: string }) {
  const query = useReferences(project, name);
  return (
    <section className={styles.stack}>
      <h2 className={styles.heading}>{words.title}</h2>
      <Loaded query={query} shape="text" rows={2}>
        {({ repositoryCount, repositories }) => {
          if (repositoryCount === 0) {
            return (
              <p className={classes(styles.quiet, styles.whole)}>
                <Words text={words.noReports} />
              </p>
            );
          }
          if (repositories.length === 0) return <p className={styles.quiet}>{words.none(repositoryCount)}</p>;
          return (
            <>
              <p className={styles.lead}>
                <Words text={words.lead} />
              </p>
              {repositories.map((repository) => (
                <InRepository key={repository.name} repository={repository} />
              ))}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
