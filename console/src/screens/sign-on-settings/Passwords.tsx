import { useQuery } from '@tanstack/react-query';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import { useStore } from '../../data/store.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import styles from '../../parts/parts.module.css';
import { signOnSettings } from '../../words/en/admin/sign-on-settings.ts';
import { passwordQuery, setPasswords, waysQuery } from './settings-data.ts';
import { trials } from './trial-data.ts';

const words = signOnSettings.password;

function Confirm({ disabled, onClose }: { readonly disabled: boolean; readonly onClose: () => void }) {
  const { data: ways = [] } = useQuery(waysQuery);
  const tried = useStore(trials);
  const mayNot = useMay('ADMIN');
  const others = ways.filter(({ type }) => type !== 'password');
  const names = others.map(({ name }) => name).join(', ');
  const isTried = others.some(({ type }) => {
    const trial = tried[type as 'oidc' | 'saml'];
    return trial && trial !== 'other' && trial.isAccepted;
  });
  const isOnlyWay = disabled && others.length === 0;
  return (
    <ConfirmDialog<unknown>
      danger={disabled}
      title={disabled ? words.offTitle : words.onTitle}
      sentences={isOnlyWay ? [] : disabled ? words.offEffects(names) : words.onEffects}
      label={disabled ? words.switchOff : words.switchOn}
      blocked={isOnlyWay ? words.onlyWay : undefined}
      mayNot={mayNot}
      act={(reason) => setPasswords(disabled, reason)}
      saved={{
        text: disabled ? words.switchedOff : words.switchedOn,
        refresh: [keys.signOn(), keys.uiConfig, keys.statistics],
      }}
      onClose={onClose}
    >
      {isOnlyWay && <p>{words.onlyWay}</p>}
      {disabled && !isOnlyWay && !isTried && <Banner tone="warn">{words.notTried(names)}</Banner>}
    </ConfirmDialog>
  );
}

/** Whether people can sign on with a password. It cannot be switched off while it is the only way. */
export function Passwords() {
  const query = useQuery(passwordQuery);
  const [asked, setAsked] = useOpened('ask');
  const mayNot = useMay('ADMIN');
  return (
    <Loaded query={query}>
      {({ disabled }) => (
        <section className={styles.card}>
          <div className={`${styles.between} ${styles.wraps}`}>
            <Badge tone={disabled ? 'neutral' : 'good'} dot>
              {disabled ? words.off : words.on}
            </Badge>
            <Button reason={mayNot} onClick={() => setAsked(disabled ? 'on' : 'off')}>
              {disabled ? words.switchOn : words.switchOff}
            </Button>
          </div>
          <p className={styles.quiet}>{words.hint}</p>
          {asked !== '' && <Confirm disabled={asked === 'off'} onClose={() => setAsked('')} />}
        </section>
      )}
    </Loaded>
  );
}
