import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { BASE_PATH } from '../../base-path.ts';
import { publicUrl } from '../../data/base.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import { useUiConfig } from '../../data/settings.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { CodeBlock } from '../../kit/texts/CodeBlock.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { fieldSentences } from '../../parts/differences.ts';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { OncePanel } from '../../parts/OncePanel.tsx';
import styles from '../../parts/parts.module.css';
import { type Role, usersQuery } from '../../people/people-data.ts';
import { RoleSelect } from '../../people/RoleSelect.tsx';
import { Words } from '../../save/Words.tsx';
import { scim as words } from '../../words/en/admin/scim.ts';
import { shell } from '../../words/en/shell.ts';
import { Registration } from './Registration.tsx';
import { ConfirmScim, SCIM_ACTS, type ScimAct } from './ScimActs.tsx';
import { ScimPeople } from './ScimPeople.tsx';
import { type ScimSettings, saveScim, scimQuery } from './scim-data.ts';

const ADMIN_ROLE = 1;
const VIEWER_ROLE = 3;

const useScimUrl = () => `${publicUrl(useUiConfig()?.serviceUrl)}/scim/v2`;
const useRoles = (): readonly Role[] => useQuery(usersQuery).data?.rootRoles ?? [];

interface OfSettings {
  readonly settings: ScimSettings;
}

function State({ settings: { enabled, hasToken } }: OfSettings) {
  if (!enabled) return <Badge dot>{words.off}</Badge>;
  return (
    <Badge dot tone={hasToken ? 'good' : 'warn'}>
      {hasToken ? words.on : words.noToken}
    </Badge>
  );
}

function Buttons({ settings, onAsk }: OfSettings & { readonly onAsk: (act: ScimAct | 'role') => void }) {
  const mayNot = useMay('ADMIN');
  const { enabled, hasToken } = settings;
  return (
    <div className={styles.row}>
      {hasToken ? (
        <>
          <Button reason={mayNot} onClick={() => onAsk('replace')}>
            {words.replace}
          </Button>
          <Button reason={mayNot} onClick={() => onAsk(enabled ? 'off' : 'on')}>
            {enabled ? words.switchOff : words.switchOn}
          </Button>
          <Button reason={mayNot} onClick={() => onAsk('revoke')}>
            {words.revoke}
          </Button>
        </>
      ) : (
        <Button kind="primary" icon={<KeyRound aria-hidden />} reason={mayNot} onClick={() => onAsk('create')}>
          {words.create}
        </Button>
      )}
      <Button reason={mayNot} onClick={() => onAsk('role')}>
        {words.edit}
      </Button>
    </div>
  );
}

function Facts({ settings: { tokenCreatedAt, defaultRootRole } }: OfSettings) {
  const roles = useRoles();
  const role = roles.find(({ id }) => id === (defaultRootRole ?? VIEWER_ROLE));
  return (
    <dl className={styles.facts}>
      <dt>{words.token}</dt>
      <dd>
        {tokenCreatedAt ? (
          <>
            {words.made} <TimeText at={tokenCreatedAt} />
          </>
        ) : (
          <span className={styles.quiet}>{words.never}</span>
        )}
      </dd>
      <dt>{words.role}</dt>
      <dd>{role?.name ?? (defaultRootRole === null ? words.viewer : `#${defaultRootRole}`)}</dd>
    </dl>
  );
}

/** What the provider must know of this service. */
function AtProvider() {
  const url = useScimUrl();
  return (
    <section className={styles.card}>
      <h2 className={styles.heading}>{words.register}</h2>
      <dl className={styles.facts}>
        <Registration label={words.address} value={url} />
        <dt>{words.uniqueId}</dt>
        <dd>
          <code>userName</code>
        </dd>
        <dt>{words.authentication}</dt>
        <dd>{words.bearer}</dd>
      </dl>
      <p className={styles.quiet}>
        {words.operations}:{' '}
        <a className={styles.inline} href={`${BASE_PATH}/docs`}>
          {shell.documentation}
        </a>
        .
      </p>
    </section>
  );
}

function Effects() {
  return (
    <section className={styles.card}>
      <h2 className={styles.heading}>{words.effects}</h2>
      <ul className={styles.sentences}>
        {words.rules.map((text) => (
          <li key={text}>
            <span>
              <Words text={text} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function RolePanel({ settings, onClose }: OfSettings & { readonly onClose: () => void }) {
  const [base] = useState(settings);
  const [chosen, choose] = useKept('chosen', base.defaultRootRole ?? VIEWER_ROLE);
  const roles = useRoles().filter(({ id }) => id !== ADMIN_ROLE);
  const named = (id: number) => ({ role: roles.find((role) => role.id === id)?.name ?? `#${id}` });
  return (
    <EditPanel<unknown>
      title={words.roleTitle}
      mayNot={useMay('ADMIN')}
      sentences={fieldSentences(named(base.defaultRootRole ?? VIEWER_ROLE), named(chosen), { role: words.role })}
      save={(reason) => saveScim(base, { defaultRootRole: chosen }, reason)}
      saved={{ text: words.roleSaved, refresh: [keys.signOn('scim')] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <RoleSelect roles={roles} value={chosen} label={words.role} onChange={(id) => choose(id ?? VIEWER_ROLE)} />
      <p className={styles.quiet}>{words.roleHint}</p>
    </EditPanel>
  );
}

/** The new token. It is nowhere but here, and is gone when the panel is closed. */
function NewToken({ token, onClose }: { readonly token: string; readonly onClose: () => void }) {
  const url = useScimUrl();
  return (
    <OncePanel title={words.onceTitle} label={words.secret} secret={token} onClose={onClose}>
      <p>{words.once}</p>
      <CodeBlock title={words.check} label={words.check} code={words.checkCode(url, token)} />
    </OncePanel>
  );
}

function Content({ settings }: OfSettings) {
  const [asked, ask] = useOpened('ask');
  const [token, setToken] = useState<string | null>(null);
  const act = SCIM_ACTS.find((one) => one === asked);
  const close = () => ask('');
  return (
    <>
      <section className={styles.card}>
        <div>
          <State settings={settings} />
        </div>
        <p className={styles.quiet}>{words.lead}</p>
        <Facts settings={settings} />
        <Buttons
          settings={settings}
          onAsk={(next) => {
            setToken(null);
            ask(next);
          }}
        />
      </section>
      <AtProvider />
      <Effects />
      <ScimPeople onRemove={() => ask('remove')} />
      {act && <ConfirmScim act={act} settings={settings} onToken={setToken} onClose={close} />}
      {asked === 'role' && <RolePanel settings={settings} onClose={close} />}
      {token !== null && <NewToken token={token} onClose={() => setToken(null)} />}
    </>
  );
}

/** Users and groups from an identity provider: whether it may manage them, its token, and those that it manages. */
export function Scim() {
  return <Loaded query={useQuery(scimQuery)}>{(settings) => <Content settings={settings} />}</Loaded>;
}
