import { useMemo, useRef, useState } from 'react';
import type { Failure } from '../../data/failure.ts';
import { forget, useKept } from '../../data/kept.ts';
import { useMay } from '../../data/may.ts';
import { useUrlState } from '../../data/url-state.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Tag } from '../../kit/texts/Badge.tsx';
import styles from '../../parts/parts.module.css';
import { FailureText } from '../../save/FailureText.tsx';
import { Reason } from '../../save/Reason.tsx';
import { useEnvironmentInfo } from '../../save/use-env-info.ts';
import { useWrite } from '../../save/use-write.ts';
import { transfer as words } from '../../words/en/admin/transfer.ts';
import { parts } from '../../words/en/parts.ts';
import { ImportResult } from './ImportResult.tsx';
import { ProblemList } from './ProblemList.tsx';
import { SourceField } from './SourceField.tsx';
import { TargetFields, useEnvironmentNames } from './TargetFields.tsx';
import {
  countsOf,
  type ImportData,
  importAll,
  type Parsed,
  type Target,
  type Validation,
  validate,
} from './transfer-data.ts';

/** What was checked. Another file or another target makes it void. */
interface Checked {
  readonly data: ImportData;
  readonly target: Target;
  readonly result: Validation;
}

function Contents({ data }: { readonly data: ImportData }) {
  return (
    <section className={styles.row} aria-label={words.content}>
      {countsOf(data).map(([part, count]) => (
        <Tag key={part} value={words.contents[part](count)} />
      ))}
    </section>
  );
}

/** Why the checked import cannot be sent yet. */
function blockedBy({ errors, permissions, warnings }: Validation, isRead: boolean): string | undefined {
  if (errors.length > 0) return words.hasErrors;
  if (permissions.length > 0) return words.lacksPermissions;
  return warnings.length > 0 && !isRead ? words.readWarnings : undefined;
}

interface StepProps {
  readonly checked: Checked;
  readonly onImported: () => void;
}

function ImportStep({ checked, onImported }: StepProps) {
  const { data, target, result } = checked;
  const [isRead, setRead] = useState(false);
  const [reason, setReason] = useKept('reason', '', 'import');
  const { run, isPending, failure } = useWrite();
  const info = useEnvironmentInfo(target);
  const blocked =
    blockedBy(result, isRead) ?? (info.needsReason && reason.trim() === '' ? parts.reasonMissing : undefined);
  const count = data.features.length;
  const importNow = () =>
    run(() => importAll(target, data, reason), {
      text: words.imported(count, target.project, target.environment),
      isDelivered: true,
      refresh: [[]],
      onDone: () => {
        forget('import');
        onImported();
      },
    });
  const mayImport = result.errors.length + result.permissions.length === 0;
  return (
    <section className={styles.card} aria-label={words.checked}>
      <h2 className={styles.heading}>{words.checked}</h2>
      <ProblemList {...result} />
      {mayImport && (
        <>
          {result.warnings.length > 0 && <Checkbox label={words.warningsRead} checked={isRead} onChange={setRead} />}
          <Reason value={reason} onChange={setReason} isNeeded={info.needsReason} />
        </>
      )}
      <FailureText failure={failure} />
      <div>
        <Button
          kind={info.isProduction ? 'production' : 'primary'}
          pending={isPending}
          reason={blocked}
          onClick={() => void importNow()}
        >
          {info.isProduction ? words.importTo(count, target.environment) : words.import(count)}
        </Button>
      </div>
    </section>
  );
}

/** Chooses a file and a target, checks, shows what the check says, imports, and compares afterwards. */
export function ImportForm() {
  const [project, setProject] = useUrlState('project', 'default');
  const [chosen, setEnvironment] = useUrlState('environment');
  const names = useEnvironmentNames(project);
  const environment = names.find((name) => name === chosen) ?? names[0] ?? '';
  const target = useMemo(() => ({ project, environment }), [project, environment]);
  const [parsed, setParsed] = useState<Parsed | null>(null);
  const [checked, setChecked] = useState<Checked | null>(null);
  const [imported, setImported] = useState<Checked | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isPending, setPending] = useState(false);
  const mayNot = useMay('UPDATE_FEATURE', project);
  const newest = useRef(0);
  const data = parsed && 'data' in parsed ? parsed.data : null;
  const problem = parsed && 'problem' in parsed ? parsed.problem : undefined;
  const isCurrent = checked !== null && checked.data === data && checked.target === target;
  const check = async () => {
    if (!data) return;
    const mine = ++newest.current;
    setPending(true);
    setFailure(null);
    setChecked(null);
    const answer = await validate(target, data);
    if (mine !== newest.current) return;
    setPending(false);
    if (!answer.ok) return setFailure(answer.failure);
    setChecked({ data, target, result: answer.value });
  };
  if (imported) {
    const again = () => {
      setParsed(null);
      setChecked(null);
      setImported(null);
    };
    return <ImportResult target={imported.target} data={imported.data} onAgain={again} />;
  }
  return (
    <div className={`${styles.stack} ${styles.narrow}`}>
      <TargetFields
        project={project}
        environment={environment}
        names={names}
        onProject={setProject}
        onEnvironment={setEnvironment}
        projectHint={words.projectHint}
      />
      <SourceField problem={problem} onChange={setParsed} />
      {data && <Contents data={data} />}
      <FailureText failure={failure} />
      <div>
        <Button
          kind={isCurrent ? 'secondary' : 'primary'}
          pending={isPending}
          reason={mayNot ?? (data ? undefined : (problem ?? words.nothingGiven))}
          onClick={() => void check()}
        >
          {words.check}
        </Button>
      </div>
      {isCurrent && <ImportStep checked={checked} onImported={() => setImported(checked)} />}
    </div>
  );
}
