import { Link } from 'wouter';
import { Banner } from '../../kit/notices/Banner.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { Words } from '../../save/Words.tsx';
import { application as words } from '../../words/en/flags/applications.ts';
import type { ApplicationOverview } from './application-data.ts';

/** What is wrong with an application: flags that do not exist, outdated SDKs, strategies that are not here. */
export function Problems({ overview: { environments, issues } }: { readonly overview: ApplicationOverview }) {
  const missing = environments.flatMap((one) => one.issues.missingFeatures.map((flag) => ({ flag, name: one.name })));
  const outdated = environments.flatMap((one) => one.issues.outdatedSdks.map((sdk) => ({ sdk, name: one.name })));
  if (missing.length + outdated.length + issues.missingStrategies.length === 0) return null;
  return (
    <Banner tone="warn" title={words.problems}>
      <ul className={styles.tight}>
        {missing.map(({ flag, name }) => (
          <li key={`${flag} ${name}`}>
            <Words text={words.missingFlag(flag, name)} />{' '}
            <Link className={styles.inline} href={path('unknownFlags', {}, { create: flag })}>
              {words.createFlag(flag)}
            </Link>
          </li>
        ))}
        {outdated.map(({ sdk, name }) => (
          <li key={`${sdk} ${name}`}>
            <Words text={words.outdated(sdk, name)} />
          </li>
        ))}
        {issues.missingStrategies.map((name) => (
          <li key={name}>
            <Words text={words.missingStrategy(name)} />
          </li>
        ))}
      </ul>
    </Banner>
  );
}
