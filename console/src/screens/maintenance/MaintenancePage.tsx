import { useQuery } from '@tanstack/react-query';
import { api, stated, write } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import { maintenanceQuery } from '../../data/settings.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { maintenance as words } from '../../words/en/admin/instance.ts';

function Confirm({ enabled, onClose }: { readonly enabled: boolean; readonly onClose: () => void }) {
  return (
    <ConfirmDialog<unknown>
      danger={enabled}
      title={enabled ? words.onTitle : words.offTitle}
      sentences={enabled ? words.onEffects : words.offEffects}
      label={enabled ? words.switchOn : words.switchOff}
      mayNot={useMay('ADMIN')}
      act={(reason) => write(api.POST('/api/admin/maintenance', { headers: stated({ reason }), body: { enabled } }))}
      saved={{
        text: enabled ? words.switchedOn : words.switchedOff,
        refresh: [keys.maintenance, keys.uiConfig],
      }}
      onClose={onClose}
    />
  );
}

/** The switch, with what it does to everyone. */
export function MaintenancePage() {
  const query = useQuery(maintenanceQuery);
  const [asked, setAsked] = useOpened('ask');
  const mayNot = useMay('ADMIN');
  return (
    <Page name={words.title} lead={words.lead}>
      <Loaded query={query}>
        {({ enabled }) => (
          <section className={`${styles.card} ${styles.narrow}`}>
            <div className={`${styles.between} ${styles.wraps}`}>
              <Badge tone={enabled ? 'warn' : 'good'} dot>
                {enabled ? words.on : words.off}
              </Badge>
              <Button
                kind={enabled ? 'primary' : 'danger'}
                reason={mayNot}
                onClick={() => setAsked(enabled ? 'off' : 'on')}
              >
                {enabled ? words.switchOff : words.switchOn}
              </Button>
            </div>
            <h2 className={styles.heading}>{words.effectsTitle}</h2>
            <ul className={styles.sentences}>
              {words.effects.map((text) => (
                <li key={text}>
                  <span>{text}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
      </Loaded>
      {asked !== '' && <Confirm enabled={asked === 'on'} onClose={() => setAsked('')} />}
    </Page>
  );
}
