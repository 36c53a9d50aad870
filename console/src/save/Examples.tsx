import { BASE_PATH } from '../base-path.ts';
import type { PreviewAnswer } from '../data/save.ts';
import { type Context, contextLabel } from '../domain/contexts.ts';
import { questionQuery } from '../domain/question.ts';
import { buttonClass } from '../kit/inputs/Button.tsx';
import { PATHS } from '../paths.ts';
import { examples as words } from '../words/en/contexts.ts';
import { type Evaluated, positionOf, reasonOf } from '../words/en/reasons.ts';
import { save } from '../words/en/save.ts';
import styles from './Save.module.css';
import { Words } from './Words.tsx';

type Flag = PreviewAnswer['flags'][number];
type Example = Flag['examples'][number];

const KINDS = ['offToOn', 'onToOff', 'otherVariant'] as const;
/** A label may have fifty values. */
const LABEL_CHARS_MAX = 160;
const PAYLOAD_CHARS_MAX = 80;

const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text);

/** The explanation of the flag as it is saved, for the context of an example. */
function explainLink({ name, project }: Flag, environment: string, context: Example['context']): string {
  const contexts = [context as unknown as Context];
  const question = { environments: [environment], projects: [project], contexts, at: '' };
  return `${BASE_PATH}${PATHS.playground}?${questionQuery(question, { flag: name })}`;
}

interface SideProps {
  readonly label: string;
  readonly result: Evaluated | null;
  readonly environment: string;
}

function Side({ label, result, environment }: SideProps) {
  if (!result) return <p>{words.notSent(label)}</p>;
  const position = positionOf(result);
  const { variant } = result;
  return (
    <p>
      {label}: <Words text={reasonOf(result, environment)} /> {position && `${position} `}
      {variant?.enabled && (
        <>
          {words.variant} <code>{variant.name}</code>
          {variant.payload && (
            <>
              , {words.payload} <code>{cut(variant.payload.value, PAYLOAD_CHARS_MAX)}</code>
            </>
          )}
        </>
      )}
    </p>
  );
}

interface ExamplesProps {
  readonly flag: Flag;
  readonly environment: string;
}

function OfKind({ kind, flag, environment }: ExamplesProps & { readonly kind: (typeof KINDS)[number] }) {
  const examples = flag.examples.filter((one) => one.kind === kind);
  if (examples.length === 0) return null;
  return (
    <section className={styles.who} aria-label={words.kinds[kind]}>
      <h4>{words.kinds[kind]}</h4>
      <ul className={styles.conflicts}>
        {examples.map(({ context, before, after }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: contexts have no identity.
          <li key={at} className={styles.small}>
            <code>{cut(contextLabel(context), LABEL_CHARS_MAX)}</code>
            <Side label={save.before} result={before} environment={environment} />
            <Side label={save.after} result={after} environment={environment} />
            {before && (
              <a
                className={buttonClass({ size: 'small' })}
                href={explainLink(flag, environment, context)}
                target="_blank"
                rel="noreferrer"
              >
                {words.explainSaved}
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** For each kind of change, the contexts that the server answers as examples, with the reasons before and after. */
export function Examples({ flag, environment }: ExamplesProps) {
  const isAny = flag.examples.some(({ kind }) => kind !== 'unchanged');
  if (!isAny) return null;
  return (
    <details>
      <summary className={styles.quiet}>{words.title}</summary>
      <div className={styles.body}>
        {KINDS.map((kind) => (
          <OfKind key={kind} kind={kind} flag={flag} environment={environment} />
        ))}
      </div>
    </details>
  );
}
