import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useKept } from '../../data/kept.ts';
import { useMay } from '../../data/may.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { fieldSentences } from '../../parts/differences.ts';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { OncePanel } from '../../parts/OncePanel.tsx';
import styles from '../../parts/parts.module.css';
import { signals as words } from '../../words/en/admin/signals.ts';
import { parts } from '../../words/en/parts.ts';
import { MonitorSnippets } from './MonitorSnippets.tsx';
import {
  afterEndpoint,
  createToken,
  deleteToken,
  type NewSignalToken,
  renameToken,
  type SignalEndpoint,
  type SignalToken,
  useSignalUrl,
} from './signal-data.ts';

interface OfEndpoint {
  readonly endpoint: SignalEndpoint;
}

interface TokensProps extends OfEndpoint {
  /** What the address says: `token`, or `rename` and `drop` with the id of a token. */
  readonly panel: string;
  readonly onPanel: (panel: string) => void;
}

const missing = (name: string) => (name.trim() === '' ? parts.fieldMissing(words.tokenName) : undefined);

function NameField({ value, onChange }: { readonly value: string; readonly onChange: (name: string) => void }) {
  return (
    <Field label={words.tokenName} hint={words.tokenNameHint} required>
      <TextInput autoFocus maxLength={100} value={value} onChange={(event) => onChange(event.target.value)} />
    </Field>
  );
}

interface CreateProps extends OfEndpoint {
  readonly onCreated: (token: NewSignalToken) => void;
  readonly onClose: () => void;
}

function CreateToken({ endpoint: { id }, onCreated, onClose }: CreateProps) {
  const [name, setName] = useKept('name', '');
  return (
    <EditPanel<NewSignalToken>
      title={words.tokenTitle}
      mayNot={useMay('ADMIN')}
      problem={missing(name)}
      label={words.tokenCreate}
      save={() => createToken(id, name)}
      saved={{ text: words.tokenCreated(name.trim()), refresh: afterEndpoint(id) }}
      onSaved={onCreated}
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} />
    </EditPanel>
  );
}

interface OfToken extends OfEndpoint {
  readonly token: SignalToken;
  readonly onClose: () => void;
}

function RenameToken({ endpoint, token, onClose }: OfToken) {
  const [base] = useState(token.name);
  const [name, setName] = useKept('name', base);
  return (
    <EditPanel<SignalToken>
      title={words.renameTitle(base)}
      mayNot={useMay('ADMIN')}
      problem={missing(name)}
      sentences={fieldSentences({ name: base }, { name }, { name: words.tokenName })}
      save={(reason) => renameToken(endpoint.id, token.id, name, reason)}
      saved={{ text: words.tokenSaved(name.trim()), refresh: afterEndpoint(endpoint.id) }}
      onSaved={onClose}
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} />
    </EditPanel>
  );
}

function DeleteToken({ endpoint, token: { id, name }, onClose }: OfToken) {
  return (
    <ConfirmDialog<unknown>
      danger
      title={words.deleteTokenTitle(name)}
      sentences={words.deleteTokenEffects}
      label={parts.delete}
      mayNot={useMay('ADMIN')}
      act={(reason) => deleteToken(endpoint.id, id, reason)}
      saved={{ text: words.tokenDeleted(name), refresh: afterEndpoint(endpoint.id) }}
      onClose={onClose}
    />
  );
}

/** The secret is nowhere but here, and is gone when the panel is closed. */
function NewToken({ endpoint, token, onClose }: OfEndpoint & { readonly token: string; readonly onClose: () => void }) {
  return (
    <OncePanel title={words.onceTitle} label={words.secret} secret={token} onClose={onClose}>
      <p>{words.once}</p>
      <MonitorSnippets url={useSignalUrl(endpoint.name)} token={token} />
    </OncePanel>
  );
}

function Row({ token, onPanel }: { readonly token: SignalToken; readonly onPanel: TokensProps['onPanel'] }) {
  const mayNot = useMay('ADMIN');
  const { id, name, createdAt } = token;
  return (
    <li>
      <div className={`${styles.grow} ${styles.wrap}`}>
        <div>{name}</div>
        <div className={styles.quiet}>
          {words.made} <TimeText at={createdAt} />
        </div>
      </div>
      <span className={styles.between}>
        <IconButton
          size="small"
          icon={<Pencil aria-hidden />}
          label={words.rename(name)}
          reason={mayNot}
          onClick={() => onPanel(`rename${id}`)}
        />
        <IconButton
          size="small"
          icon={<Trash2 aria-hidden />}
          label={words.deleteToken(name)}
          reason={mayNot}
          onClick={() => onPanel(`drop${id}`)}
        />
      </span>
    </li>
  );
}

/** The tokens of an endpoint. */
export function SignalTokens({ endpoint, panel, onPanel }: TokensProps) {
  const [made, setMade] = useState<string | null>(null);
  const mayNot = useMay('ADMIN');
  const { tokens } = endpoint;
  const shown = (act: string) => tokens.find(({ id }) => panel === `${act}${id}`);
  const [renamed, dropped] = [shown('rename'), shown('drop')];
  const close = () => onPanel('');
  const open = (next: string) => {
    setMade(null);
    onPanel(next);
  };
  return (
    <section className={styles.stack} aria-label={words.tokens}>
      <div className={styles.between}>
        <h2 className={styles.heading}>{words.tokens}</h2>
        <Button size="small" icon={<Plus aria-hidden />} reason={mayNot} onClick={() => open('token')}>
          {words.newToken}
        </Button>
      </div>
      <p className={styles.quiet}>{words.tokensLead}</p>
      {tokens.length === 0 ? (
        <p className={styles.quiet}>{words.noTokens}</p>
      ) : (
        <div className={styles.list}>
          <ul className={styles.items}>
            {tokens.map((token) => (
              <Row key={token.id} token={token} onPanel={open} />
            ))}
          </ul>
        </div>
      )}
      {panel === 'token' && (
        <CreateToken
          endpoint={endpoint}
          onCreated={({ token }) => {
            close();
            setMade(token);
          }}
          onClose={close}
        />
      )}
      {made !== null && <NewToken endpoint={endpoint} token={made} onClose={() => setMade(null)} />}
      {renamed && <RenameToken key={renamed.id} endpoint={endpoint} token={renamed} onClose={close} />}
      {dropped && <DeleteToken endpoint={endpoint} token={dropped} onClose={close} />}
    </section>
  );
}
